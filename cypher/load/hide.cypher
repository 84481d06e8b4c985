// answers: nothing; takes a version that is neither current nor pinned out of what is served, before it is deleted
// param token: string, the writer's
// param uid: string, key@version
// returns: one row {hidden} while the lock is held; hidden is 0 when it is current, pinned or gone
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
WITH w
CALL () {
  MATCH (c:Corpus {uid: $uid})
  WHERE NOT c.current AND size(coalesce(c.pins, [])) = 0
  SET c.complete = false
  RETURN count(c) AS hidden
}
RETURN hidden
