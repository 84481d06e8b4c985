// answers: directed chains of three or four norms, at least two of them with a known valid_from (mhgb.md 3)
// param starts: list, uids of first norms
// param norms: integer, how many norms a chain is to have; none fits when the depth has no such length
// param acts: any, list of keys of acts that norms may belong to, or null for all
// param min_chars: integer, characters of text that a norm must have
// param limit: integer, most chains
// returns: rows {norms, relations}: refs in order, the types of the steps
UNWIND $starts AS start
MATCH (a:Article {uid: start})
WHERE NOT a.repealed AND a.chars >= $min_chars AND ($acts IS NULL OR a.act IN $acts)
CALL (a) {
  WITH a
  WHERE $norms = 3
  MATCH (a)-[first:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(b:Article)
        (()-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(n:Article WHERE NOT n.repealed AND n.chars >= $min_chars AND ($acts IS NULL OR n.act IN $acts))){1}
  WHERE NOT b.repealed AND b.chars >= $min_chars AND ($acts IS NULL OR b.act IN $acts)
  RETURN [a, b] + n AS found, [first] + r AS steps
  UNION ALL
  WITH a
  WHERE $norms = 4
  MATCH (a)-[first:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(b:Article)
        (()-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(n:Article WHERE NOT n.repealed AND n.chars >= $min_chars AND ($acts IS NULL OR n.act IN $acts))){2}
  WHERE NOT b.repealed AND b.chars >= $min_chars AND ($acts IS NULL OR b.act IN $acts)
  RETURN [a, b] + n AS found, [first] + r AS steps
}
WITH found, steps
// A trail may meet a norm twice; a chain does not.
WHERE all(i IN range(1, size(found) - 1) WHERE NOT found[i] IN found[..i])
  AND size([n IN found WHERE n.valid_from IS NOT NULL]) >= 2
RETURN [n IN found | n.ref] AS norms, [r IN steps | type(r)] AS relations
LIMIT $limit
