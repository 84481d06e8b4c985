// answers: one more level of a walk: to which norms those of a level are related
// param uids: list, uids of the level's norms
// param ways: list, of 0 for outgoing and 1 for incoming relations
// param types: list, relation types
// param as_of: any, ISO date to leave out norms not in force then, null to filter nothing
// param keep: list, uids of norms that are walked to whether in force or not
// param limit: integer, relations read in all
// returns: rows {ref, others}: refs of the norms it is related to, one for each relation
UNWIND $uids AS uid
MATCH (a:Article {uid: uid})
CALL (a) {
  MATCH (a)-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(b:Article)
  WHERE 0 IN $ways AND type(r) IN $types
  RETURN b
  UNION ALL
  MATCH (a)<-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]-(b:Article)
  WHERE 1 IN $ways AND type(r) IN $types
  RETURN b
}
WITH a, b
WHERE b.uid IN $keep
  OR NOT coalesce(b.valid_to <= $as_of OR b.valid_from_basis = 'stated' AND b.valid_from > $as_of, false)
WITH a, b
LIMIT $limit
RETURN a.ref AS ref, collect(b.ref) AS others
