// answers: nothing; makes the node of a version that is being loaded and is not served yet
// param token: string, the writer's
// param uid: string, key@version
// param properties: map, what is said of the corpus
// returns: one row {uid} while the lock is held
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
MERGE (c:Corpus {uid: $uid})
SET c += $properties, c.complete = false, c.current = false
RETURN c.uid AS uid
