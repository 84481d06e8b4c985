// answers: which relations hold among some norms, by ordinal
// param uids: list, uids of the norms
// param types: list, relation types
// param limit: integer, rows
// returns: rows {type, relation, source, target}
UNWIND $uids AS uid
MATCH (a:Article {uid: uid})-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(b:Article)
WHERE b.uid IN $uids AND type(r) IN $types
RETURN
  type(r) AS type,
  r {.source, .ordinal, .confidence, .explanation, .cue, .also, .citations_json} AS relation,
  a {.ref, .norm_id, .title, .act} AS source,
  b {.ref, .norm_id, .title, .act} AS target
ORDER BY r.ordinal
LIMIT $limit
