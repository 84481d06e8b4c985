// answers: nothing; deletes a version's articles with their relations, in batches
// param corpus_uid: string, key@version
// returns: no row
MATCH (a:Article)
WHERE a.corpus_uid = $corpus_uid AND a.sort_key >= ''
CALL (a) { DETACH DELETE a } IN TRANSACTIONS OF 500 ROWS
