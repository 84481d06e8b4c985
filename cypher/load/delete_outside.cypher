// answers: nothing; deletes a version's outside acts, in batches
// param corpus_uid: string, key@version
// returns: no row
MATCH (o:OutsideAct {corpus_uid: $corpus_uid})
CALL (o) { DETACH DELETE o } IN TRANSACTIONS OF 500 ROWS
