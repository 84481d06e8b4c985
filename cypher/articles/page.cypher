// answers: which articles a version of a corpus holds, in its order, one page
// param corpus_uid: string, key@version
// param after: string, the sort key of the last row before, or the empty string
// param until: string, a sort key that all rows stay below
// param acts: any, list of acts' keys to keep only those, null for all
// param repealed: any, true or false to keep only those, null for all
// param as_of: any, ISO date to leave out what was not in force then, null to filter nothing
// param limit: integer, rows
// returns: rows {article}, without texts
MATCH (a:Article)
WHERE a.corpus_uid = $corpus_uid AND a.sort_key > $after AND a.sort_key < $until
  AND ($acts IS NULL OR a.act IN $acts)
  AND ($repealed IS NULL OR a.repealed = $repealed)
  AND NOT coalesce(a.valid_to <= $as_of OR a.valid_from_basis = 'stated' AND a.valid_from > $as_of, false)
RETURN a {.norm_id, .ref, .act, .edition, .number, .title, .valid_from, .valid_from_basis, .valid_to, .amended_on,
          .repealed, .chars, .sort_key} AS article
ORDER BY a.sort_key
LIMIT $limit
