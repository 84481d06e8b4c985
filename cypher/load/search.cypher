// answers: nothing; writes anew what the full-text index holds of articles
// param token: string, the writer's
// param rows: list, maps {uid, properties}
// returns: one row {writer, written} while the lock is held
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
WITH w
UNWIND $rows AS row
MATCH (a:Article {uid: row.uid})
SET a += row.properties
RETURN w.name AS writer, count(a) AS written
