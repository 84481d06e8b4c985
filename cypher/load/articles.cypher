// answers: nothing; writes articles
// param token: string, the writer's
// param rows: list, maps {act_uid, properties}
// returns: one row {writer, written} while the lock is held
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
WITH w
UNWIND $rows AS row
MATCH (act:Act {uid: row.act_uid})
CREATE (a:Article)-[:OF]->(act)
SET a = row.properties
RETURN w.name AS writer, count(a) AS written
