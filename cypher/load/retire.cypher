// answers: nothing; takes the mark of the current version away, unless something needs it
// param token: string, the writer's
// param uid: string, key@version
// returns: one row {retired} while the lock is held; retired is 0 when it is pinned or gone
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
WITH w
CALL () {
  MATCH (c:Corpus {uid: $uid})
  WHERE size(coalesce(c.pins, [])) = 0
  SET c.current = false
  RETURN count(c) AS retired
}
RETURN retired
