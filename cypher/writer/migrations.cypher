// answers: which graph migrations were run
// returns: rows {number, name, digest} by number
MATCH (m:Migration)
RETURN m.number AS number, m.name AS name, m.digest AS digest
ORDER BY number
