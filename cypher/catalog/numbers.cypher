// answers: which articles a version of a corpus holds, by act, in each act's own order
// param corpus_uid: string, key@version
// returns: rows {act, edition, numbers}
MATCH (a:Article)
WHERE a.corpus_uid = $corpus_uid AND a.sort_key >= ''
WITH a
ORDER BY a.sort_key
RETURN a.act AS act, coalesce(a.edition, '') AS edition, collect(a.number) AS numbers
