// answers: how an article relates to others, one page: outgoing ones first, each way by ordinal
// param uid: string, the article's uid
// param ways: list, of 0 for outgoing and 1 for incoming
// param types: list, relation types
// param sources: list, what their types rest on
// param after_way: integer, the way of the last row before, or -1
// param after_ordinal: integer, the ordinal of the last row before, or -1
// param as_of: any, ISO date to leave out norms not in force then, null to filter nothing
// param limit: integer, rows
// returns: rows {way, type, me, relation, other}
MATCH (a:Article {uid: $uid})
CALL (a) {
  MATCH (a)-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(b:Article)
  WHERE 0 IN $ways
  RETURN 0 AS way, r, b
  UNION ALL
  MATCH (a)<-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]-(b:Article)
  WHERE 1 IN $ways
  RETURN 1 AS way, r, b
}
WITH a, way, r, b
WHERE type(r) IN $types AND r.source IN $sources
  AND (way > $after_way OR way = $after_way AND r.ordinal > $after_ordinal)
  AND NOT coalesce(b.valid_to <= $as_of OR b.valid_from_basis = 'stated' AND b.valid_from > $as_of, false)
RETURN
  way,
  type(r) AS type,
  a {.ref, .title} AS me,
  r {.source, .ordinal, .confidence, .explanation, .cue, .also, .citations_json} AS relation,
  b {.ref, .norm_id, .title, .repealed, .valid_from, .valid_from_basis, .valid_to} AS other
ORDER BY way, r.ordinal
LIMIT $limit
