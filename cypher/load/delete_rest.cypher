// answers: nothing; deletes a version's acts and its corpus node, last
// param token: string, the writer's
// param corpus_uid: string, key@version
// returns: one row {deleted} while the lock is held
MATCH (w:Writer {name: 'writer'})
WHERE w.token = $token
SET w.heartbeat = timestamp()
WITH w
CALL () {
  MATCH (c:Corpus {uid: $corpus_uid})
  OPTIONAL MATCH (a:Act)-[:IN]->(c)
  DETACH DELETE a, c
  RETURN count(*) AS deleted
}
RETURN deleted
