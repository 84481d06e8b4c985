// answers: the bare graph of a version, for its diagnostics
// param corpus_uid: string, key@version
// returns: rows {source, source_act, target, target_act, type} by ordinal
MATCH (a:Article)-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(b:Article)
WHERE a.corpus_uid = $corpus_uid AND a.sort_key >= ''
RETURN a.ref AS source, a.act AS source_act, b.ref AS target, b.act AS target_act, type(r) AS type
ORDER BY r.ordinal
