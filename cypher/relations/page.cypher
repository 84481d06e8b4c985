// answers: which relations a version of a corpus holds, by ordinal, one page
// param corpus_uid: string, key@version
// param types: list, relation types
// param sources: list, what their types rest on
// param act: any, an act's key that either end must have, or null
// param cross_act: any, true for relations between acts, false for those inside one, null for all
// param as_of: any, ISO date to leave out those with an end not in force then, null to filter nothing
// param after: integer, the ordinal of the last row before, or -1
// param limit: integer, rows
// returns: rows {type, relation, source, target}
CALL () {
  MATCH (a:Article)-[r:REFERS_TO]->(b:Article)
  WHERE 'REFERS_TO' IN $types AND r.corpus_uid = $corpus_uid AND r.ordinal > $after
    AND r.source IN $sources
    AND ($act IS NULL OR a.act = $act OR b.act = $act)
    AND ($cross_act IS NULL OR (a.act <> b.act) = $cross_act)
    AND NOT coalesce(a.valid_to <= $as_of OR a.valid_from_basis = 'stated' AND a.valid_from > $as_of, false)
    AND NOT coalesce(b.valid_to <= $as_of OR b.valid_from_basis = 'stated' AND b.valid_from > $as_of, false)
  RETURN a, r, b
  ORDER BY r.ordinal
  LIMIT $limit
  UNION ALL
  MATCH (a:Article)-[r:APPLIES_TO]->(b:Article)
  WHERE 'APPLIES_TO' IN $types AND r.corpus_uid = $corpus_uid AND r.ordinal > $after
    AND r.source IN $sources
    AND ($act IS NULL OR a.act = $act OR b.act = $act)
    AND ($cross_act IS NULL OR (a.act <> b.act) = $cross_act)
    AND NOT coalesce(a.valid_to <= $as_of OR a.valid_from_basis = 'stated' AND a.valid_from > $as_of, false)
    AND NOT coalesce(b.valid_to <= $as_of OR b.valid_from_basis = 'stated' AND b.valid_from > $as_of, false)
  RETURN a, r, b
  ORDER BY r.ordinal
  LIMIT $limit
  UNION ALL
  MATCH (a:Article)-[r:EXCLUDES]->(b:Article)
  WHERE 'EXCLUDES' IN $types AND r.corpus_uid = $corpus_uid AND r.ordinal > $after
    AND r.source IN $sources
    AND ($act IS NULL OR a.act = $act OR b.act = $act)
    AND ($cross_act IS NULL OR (a.act <> b.act) = $cross_act)
    AND NOT coalesce(a.valid_to <= $as_of OR a.valid_from_basis = 'stated' AND a.valid_from > $as_of, false)
    AND NOT coalesce(b.valid_to <= $as_of OR b.valid_from_basis = 'stated' AND b.valid_from > $as_of, false)
  RETURN a, r, b
  ORDER BY r.ordinal
  LIMIT $limit
  UNION ALL
  MATCH (a:Article)-[r:SUPPLEMENTS]->(b:Article)
  WHERE 'SUPPLEMENTS' IN $types AND r.corpus_uid = $corpus_uid AND r.ordinal > $after
    AND r.source IN $sources
    AND ($act IS NULL OR a.act = $act OR b.act = $act)
    AND ($cross_act IS NULL OR (a.act <> b.act) = $cross_act)
    AND NOT coalesce(a.valid_to <= $as_of OR a.valid_from_basis = 'stated' AND a.valid_from > $as_of, false)
    AND NOT coalesce(b.valid_to <= $as_of OR b.valid_from_basis = 'stated' AND b.valid_from > $as_of, false)
  RETURN a, r, b
  ORDER BY r.ordinal
  LIMIT $limit
  UNION ALL
  MATCH (a:Article)-[r:PREVAILS_OVER]->(b:Article)
  WHERE 'PREVAILS_OVER' IN $types AND r.corpus_uid = $corpus_uid AND r.ordinal > $after
    AND r.source IN $sources
    AND ($act IS NULL OR a.act = $act OR b.act = $act)
    AND ($cross_act IS NULL OR (a.act <> b.act) = $cross_act)
    AND NOT coalesce(a.valid_to <= $as_of OR a.valid_from_basis = 'stated' AND a.valid_from > $as_of, false)
    AND NOT coalesce(b.valid_to <= $as_of OR b.valid_from_basis = 'stated' AND b.valid_from > $as_of, false)
  RETURN a, r, b
  ORDER BY r.ordinal
  LIMIT $limit
}
RETURN
  type(r) AS type,
  r {.source, .ordinal, .confidence, .explanation, .cue, .also, .citations_json} AS relation,
  a {.ref, .norm_id, .title, .act} AS source,
  b {.ref, .norm_id, .title, .act} AS target
ORDER BY r.ordinal
LIMIT $limit
