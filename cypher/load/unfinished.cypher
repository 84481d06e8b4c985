// answers: which versions were left half loaded or half dropped
// returns: rows {uid}
MATCH (c:Corpus)
WHERE NOT c.complete
RETURN c.uid AS uid
ORDER BY uid
