// answers: nothing; takes the mark of the current version away
// param token: string, the writer's
// param uid: string, key@version
// returns: one row {uid} while the lock is held
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
WITH w
MATCH (c:Corpus {uid: $uid})
SET c.current = false
RETURN c.uid AS uid
