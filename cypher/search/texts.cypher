// answers: the texts of articles
// param uids: list, uids of articles
// returns: rows {ref, text}
UNWIND $uids AS uid
MATCH (a:Article {uid: uid})
RETURN a.ref AS ref, a.text AS text
