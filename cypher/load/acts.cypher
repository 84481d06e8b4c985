// answers: nothing; writes acts
// param token: string, the writer's
// param corpus_uid: string, key@version
// param rows: list, maps of properties
// returns: one row {writer, written} while the lock is held
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
WITH w
MATCH (c:Corpus {uid: $corpus_uid})
UNWIND $rows AS row
CREATE (a:Act)-[:IN]->(c)
SET a = row
RETURN w.name AS writer, count(a) AS written
