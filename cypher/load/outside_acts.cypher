// answers: nothing; writes acts that the corpus does not hold but cites
// param token: string, the writer's
// param rows: list, maps of properties
// returns: one row {writer, written} while the lock is held
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
WITH w
UNWIND $rows AS row
CREATE (o:OutsideAct)
SET o = row
RETURN w.name AS writer, count(o) AS written
