// answers: which corpora there are, in which whole versions, and which is current
// returns: rows {corpus}, the corpus node's properties, by key and time of loading
MATCH (c:Corpus)
WHERE c.complete
RETURN c {.*} AS corpus
ORDER BY c.key, c.loaded_at, c.version
