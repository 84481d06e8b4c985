// answers: nothing; notes that something needs a version, so that it cannot be dropped
// param uid: string, key@version
// param by: string, what needs it, such as a task set's key
// returns: one row {uid}, or none when there is no such whole version
MATCH (c:Corpus {uid: $uid})
WHERE c.complete
SET c.pins = [pin IN coalesce(c.pins, []) WHERE pin <> $by] + $by
RETURN c.uid AS uid
