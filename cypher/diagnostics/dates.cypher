// answers: how many articles of each act rest their date on what, and how long they are
// param corpus_uid: string, key@version
// returns: rows {act, edition, basis, articles, repealed, chars}
MATCH (a:Article)
WHERE a.corpus_uid = $corpus_uid AND a.sort_key >= ''
RETURN a.act AS act, coalesce(a.edition, '') AS edition, coalesce(a.valid_from_basis, 'unknown') AS basis,
       count(*) AS articles, sum(CASE WHEN a.repealed THEN 1 ELSE 0 END) AS repealed, sum(a.chars) AS chars
ORDER BY act, edition, basis
