// answers: nothing; takes a pin back
// param uid: string, key@version
// param by: string, what needed it
// returns: one row {uid} or none
MATCH (c:Corpus {uid: $uid})
SET c.pins = [pin IN coalesce(c.pins, []) WHERE pin <> $by]
RETURN c.uid AS uid
