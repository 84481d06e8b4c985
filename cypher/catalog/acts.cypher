// answers: which acts a version of a corpus holds
// param corpus_uid: string, key@version
// returns: rows {act}, the acts' properties, in the corpus's order
MATCH (a:Act {corpus_uid: $corpus_uid})
RETURN a {.*} AS act
ORDER BY a.place
