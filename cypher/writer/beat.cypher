// answers: does this writer still hold the lock; renews its heartbeat
// param token: string, names this writer
// returns: one row {held} or none
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
RETURN true AS held
