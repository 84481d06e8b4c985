// answers: nothing; writes typed relations
// param token: string, the writer's
// param rows: list, maps {type, source_uid, target_uid, properties}; type is one of the five
// returns: one row {writer, written} while the lock is held
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
WITH w
UNWIND $rows AS row
MATCH (a:Article {uid: row.source_uid})
MATCH (b:Article {uid: row.target_uid})
CREATE (a)-[r:$(row.type)]->(b)
SET r = row.properties
RETURN w.name AS writer, count(r) AS written
