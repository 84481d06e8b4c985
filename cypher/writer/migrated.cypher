// answers: nothing; notes that a graph migration was run
// param number: integer, the migration's number
// param name: string, its file's name without the suffix
// param digest: string, SHA-256 of its text
// returns: one row {number}
MERGE (m:Migration {number: $number})
SET m.name = $name, m.digest = $digest, m.at = toString(datetime())
RETURN m.number AS number
