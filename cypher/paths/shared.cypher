// answers: which norms are related to both of two norms, whichever way, in the corpus's order
// param a: string, the one's uid
// param b: string, the other's uid
// param as_of: any, ISO date to leave out norms not in force then, null to filter nothing
// param limit: integer, norms shown
// returns: one row {total, refs}
MATCH (a:Article {uid: $a})-[:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]-(n:Article)
WITH DISTINCT n
MATCH (n)-[:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]-(b:Article)
WHERE b.uid = $b
  AND NOT coalesce(n.valid_to <= $as_of OR n.valid_from_basis = 'stated' AND n.valid_from > $as_of, false)
WITH DISTINCT n
ORDER BY n.sort_key
WITH collect(n.ref) AS refs
RETURN size(refs) AS total, refs[..$limit] AS refs
