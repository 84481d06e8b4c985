// answers: nothing; gives the lock back if this writer holds it
// param token: string, names this writer
// returns: one row {released} or none
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
REMOVE w.token, w.holder, w.doing, w.heartbeat
RETURN true AS released
