// answers: the articles of a version with all they hold, one page in its order
// param corpus_uid: string, key@version
// param after: string, the sort key of the last row before, or the empty string
// param limit: integer, rows
// returns: rows {article}
MATCH (a:Article)
WHERE a.corpus_uid = $corpus_uid AND a.sort_key > $after
RETURN a {.*} AS article
ORDER BY a.sort_key
LIMIT $limit
