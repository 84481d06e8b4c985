// answers: nothing; makes a whole version the current one of its corpus, in one step
// param token: string, the writer's
// param uid: string, key@version
// param key: string, the corpus
// param loaded_at: string, ISO time in UTC, or the empty string to keep the one it has
// returns: one row {uid} while the lock is held
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
WITH w
MATCH (c:Corpus {uid: $uid})
SET c.complete = true,
    c.current = true,
    c.loaded_at = CASE $loaded_at WHEN '' THEN c.loaded_at ELSE $loaded_at END
WITH c
CALL (c) {
  MATCH (old:Corpus)
  WHERE old.key = $key AND old.uid <> $uid AND old.current
  SET old.current = false
  RETURN count(old) AS replaced
}
RETURN c.uid AS uid, replaced
