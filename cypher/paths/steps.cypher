// answers: which relations lead from one norm to another, for many pairs
// param pairs: list, pairs [uid, uid] of norms
// param types: list, relation types
// returns: rows {type, relation, source, target}
UNWIND $pairs AS pair
MATCH (a:Article {uid: pair[0]})
MATCH (b:Article {uid: pair[1]})
MATCH (a)-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(b)
WHERE type(r) IN $types
RETURN
  type(r) AS type,
  r {.source, .ordinal, .confidence, .explanation, .cue, .also, .citations_json} AS relation,
  a {.ref, .norm_id, .title, .act} AS source,
  b {.ref, .norm_id, .title, .act} AS target
