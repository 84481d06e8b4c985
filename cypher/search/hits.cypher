// answers: which articles a query of words finds, best first; equal ranks by place
// param query: string, in Lucene's syntax, written by service.graph.search_text
// param fetch: integer, how many hits the index is asked for
// param as_of: any, ISO date to leave out what was not in force then, null to filter nothing
// param cited: float, how much being cited counts: the score grows by this share for each power of e of citing articles
// param limit: integer, rows
// returns: rows {article, score}
CALL db.index.fulltext.queryNodes('article_search', $query, {limit: $fetch}) YIELD node AS a, score
WHERE NOT coalesce(a.valid_to <= $as_of OR a.valid_from_basis = 'stated' AND a.valid_from > $as_of, false)
RETURN a {.norm_id, .ref, .act, .edition, .number, .title, .valid_from, .valid_from_basis, .valid_to, .amended_on,
          .repealed, .chars} AS article, score * (1 + $cited * log(1 + COUNT { (a)<--(:Article) })) AS score
ORDER BY score DESC, a.sort_key
LIMIT $limit
