// answers: may this process write; takes the one lock of the graph, also over from a writer whose heartbeat is too old
// param token: string, names this writer
// param holder: string, host and process of this writer, for people and for telling that it is dead
// param doing: string, what it is about to do
// param stale_ms: integer, age at which a heartbeat counts as dead, milliseconds
// param dead: string, the token of a writer known to be dead, or the empty string
// returns: one row {token, holder, doing, age_ms} of whoever holds the lock now
MERGE (w:Writer {name: 'writer'})
// Written before it is read: the lock is on the node, and what is read next is the last committed state.
SET w.asked = timestamp()
WITH w, coalesce(w.token, '') IN ['', $token, $dead] OR w.heartbeat < timestamp() - $stale_ms AS free
FOREACH (_ IN CASE WHEN free THEN [1] ELSE [] END |
  SET w.token = $token, w.holder = $holder, w.doing = $doing, w.heartbeat = timestamp())
RETURN w.token AS token, w.holder AS holder, w.doing AS doing, timestamp() - w.heartbeat AS age_ms
