// answers: single norms with a known valid_from (mhgb.md 3)
// param starts: list, uids of first norms
// param norms: integer, how many norms a chain is to have; none fits when the depth has no such length
// param acts: any, list of keys of acts that norms may belong to, or null for all
// param min_chars: integer, characters of text that a norm must have
// param limit: integer, most chains
// returns: rows {norms, relations}: refs in order, the types of the steps
UNWIND $starts AS start
MATCH (a:Article {uid: start})
WHERE NOT a.repealed AND a.chars >= $min_chars AND ($acts IS NULL OR a.act IN $acts)
  AND a.valid_from IS NOT NULL
  AND $norms = 1
RETURN [a.ref] AS norms, [] AS relations
LIMIT $limit
