// answers: nothing; notes how a version's articles stand in the full-text index
// param token: string, the writer's
// param uid: string, key@version
// param scheme: integer, the number of the way they are written
// returns: one row {uid} while the lock is held
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
WITH w
MATCH (c:Corpus {uid: $uid})
SET c.search_scheme = $scheme
RETURN c.uid AS uid
