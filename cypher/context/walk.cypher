// answers: what an open-book context holds: its seeds, and their neighbours in the order of the walk (mhgb.md 6)
// param seeds: list, uids of the seeds in task order
// param token_budget: integer, tokens of all chunks, seeds counted
// param max_chunks: integer, chunks in all, seeds counted
// param as_of: any, ISO date, or null to filter nothing
// returns: one row {seeds, neighbours, candidates, excluded}: chunks with their properties; neighbours carry the type and the seed of their first mention; candidates counts all distinct neighbours, excluded those not in force at as_of
UNWIND range(0, size($seeds) - 1) AS i
MATCH (s:Article {uid: $seeds[i]})
WITH collect(s) AS ss, collect(CASE WHEN s.chars < 3 THEN 1 ELSE s.chars / 3 END) AS costs
CALL (ss) {
  UNWIND range(0, size(ss) - 1) AS i
  WITH i, ss[i] AS s
  CALL (s) {
    MATCH (s)-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(n:Article)
    RETURN r, n, 0 AS way
    UNION ALL
    MATCH (s)<-[r:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]-(n:Article)
    RETURN r, n, 1 AS way
  }
  WITH i, way, r, n, s
  WHERE NOT n.uid IN $seeds
  ORDER BY i, way, r.ordinal
  // The first mention wins: collect keeps the order, and the least place is the first one's.
  WITH n,
       head(collect({type: type(r), seed: s.ref})) AS mention,
       min(i * 2000000000 + way * 1000000000 + r.ordinal) AS place,
       coalesce(n.valid_to <= $as_of OR n.valid_from_basis = 'stated' AND n.valid_from > $as_of, false) AS gone
  ORDER BY place
  WITH collect({n: n, mention: mention, gone: gone}) AS all
  RETURN [f IN all WHERE NOT f.gone] AS found, size([f IN all WHERE f.gone]) AS excluded
}
WITH ss, found, excluded,
     $max_chunks - size(ss) AS room,
     $token_budget - reduce(sum = 0, cost IN costs | sum + cost) AS tokens
WITH ss, found, excluded,
     // The walk stops at the first neighbour that would exceed the budget.
     reduce(
       walk = {left: tokens, taken: 0, open: true},
       f IN found[..CASE WHEN room > 0 THEN room ELSE 0 END] |
       CASE
         WHEN walk.open AND CASE WHEN f.n.chars < 3 THEN 1 ELSE f.n.chars / 3 END <= walk.left THEN
           {left: walk.left - CASE WHEN f.n.chars < 3 THEN 1 ELSE f.n.chars / 3 END, taken: walk.taken + 1, open: true}
         ELSE {left: walk.left, taken: walk.taken, open: false}
       END
     ).taken AS taken
RETURN
  [s IN ss | s {.uid, .norm_id, .ref, .act, .edition, .title, .text, .chars, .valid_from, .valid_from_basis, .valid_to,
                .amended_on, .repealed}] AS seeds,
  [f IN found[..taken] | {uid: f.n.uid, norm_id: f.n.norm_id, ref: f.n.ref, act: f.n.act, edition: f.n.edition,
                          title: f.n.title, text: f.n.text, chars: f.n.chars, valid_from: f.n.valid_from,
                          valid_from_basis: f.n.valid_from_basis, valid_to: f.n.valid_to,
                          amended_on: f.n.amended_on, repealed: f.n.repealed,
                          type: f.mention.type, seed: f.mention.seed}] AS neighbours,
  size(found) AS candidates,
  excluded
