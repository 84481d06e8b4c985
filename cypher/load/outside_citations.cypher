// answers: nothing; writes citations of acts that the corpus does not hold
// param token: string, the writer's
// param rows: list, maps {source_uid, outside_uid, properties}
// returns: one row {writer, written} while the lock is held
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
WITH w
UNWIND $rows AS row
MATCH (a:Article {uid: row.source_uid})
MATCH (o:OutsideAct {uid: row.outside_uid})
CREATE (a)-[r:CITES_ACT]->(o)
SET r = row.properties
RETURN w.name AS writer, count(r) AS written
