// answers: what chains are in the graph, so that they can be held against their template
// param chains: list, lists of uids in order
// param min_chars: integer, characters of text that a norm must have
// returns: rows {place, norms, relations}: the chain's place in the list from 0; for each norm {found, ref, usable, valid_from, valid_from_basis, valid_to, repealed}; for each step its type, empty when there is no such relation
UNWIND range(0, size($chains) - 1) AS place
WITH place, $chains[place] AS uids
CALL (uids) {
  UNWIND range(0, size(uids) - 1) AS i
  OPTIONAL MATCH (a:Article {uid: uids[i]})
  WITH i, a
  ORDER BY i
  RETURN collect(CASE WHEN a IS NULL THEN {found: false} ELSE {found: true, ref: a.ref,
    usable: NOT a.repealed AND a.chars >= $min_chars, valid_from: a.valid_from, valid_from_basis: a.valid_from_basis,
    valid_to: a.valid_to, repealed: a.repealed} END) AS norms
}
CALL (uids) {
  UNWIND CASE WHEN size(uids) < 2 THEN [] ELSE range(0, size(uids) - 2) END AS i
  OPTIONAL MATCH (a:Article {uid: uids[i]})-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(b:Article {uid: uids[i + 1]})
  WITH i, type(r) AS kind
  ORDER BY i
  RETURN collect(coalesce(kind, '')) AS relations
}
RETURN place, norms, relations
ORDER BY place
