// answers: the relations of a version with all they hold, one page by ordinal
// param corpus_uid: string, key@version
// param after: integer, the ordinal of the last row before, or -1
// param limit: integer, rows
// returns: rows {type, relation, source, target}, refs of the ends
CALL () {
  MATCH (a:Article)-[r:REFERS_TO]->(b:Article)
  WHERE r.corpus_uid = $corpus_uid AND r.ordinal > $after
  RETURN a, r, b
  ORDER BY r.ordinal
  LIMIT $limit
  UNION ALL
  MATCH (a:Article)-[r:APPLIES_TO]->(b:Article)
  WHERE r.corpus_uid = $corpus_uid AND r.ordinal > $after
  RETURN a, r, b
  ORDER BY r.ordinal
  LIMIT $limit
  UNION ALL
  MATCH (a:Article)-[r:EXCLUDES]->(b:Article)
  WHERE r.corpus_uid = $corpus_uid AND r.ordinal > $after
  RETURN a, r, b
  ORDER BY r.ordinal
  LIMIT $limit
  UNION ALL
  MATCH (a:Article)-[r:SUPPLEMENTS]->(b:Article)
  WHERE r.corpus_uid = $corpus_uid AND r.ordinal > $after
  RETURN a, r, b
  ORDER BY r.ordinal
  LIMIT $limit
  UNION ALL
  MATCH (a:Article)-[r:PREVAILS_OVER]->(b:Article)
  WHERE r.corpus_uid = $corpus_uid AND r.ordinal > $after
  RETURN a, r, b
  ORDER BY r.ordinal
  LIMIT $limit
}
RETURN type(r) AS type, r {.source, .ordinal, .confidence, .explanation, .cue, .also, .citations_json} AS relation,
       a.ref AS source, b.ref AS target
ORDER BY r.ordinal
LIMIT $limit
