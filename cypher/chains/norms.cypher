// answers: which norms of a version may stand in a chain: not repealed, long enough (mhgb.md 3)
// param corpus_uid: string, key@version
// param min_chars: integer, characters of text that a norm must have
// returns: rows {ref, act, valid_from, basis} in the corpus's order
MATCH (a:Article)
WHERE a.corpus_uid = $corpus_uid AND a.sort_key >= '' AND NOT a.repealed AND a.chars >= $min_chars
RETURN a.ref AS ref, a.act AS act, a.valid_from AS valid_from, a.valid_from_basis AS basis
ORDER BY a.sort_key
