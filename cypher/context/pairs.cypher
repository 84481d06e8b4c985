// answers: which relations hold among the chunks of a context
// param uids: list, uids of the chunks
// returns: rows {source, target, type}, refs of the ends, by ordinal
UNWIND $uids AS uid
MATCH (a:Article {uid: uid})-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(b:Article)
WHERE b.uid IN $uids
RETURN a.ref AS source, b.ref AS target, type(r) AS type
ORDER BY r.ordinal
