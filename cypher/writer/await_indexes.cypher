// answers: nothing; returns when every index is online
// param seconds: integer, how long to wait
// returns: no row
CALL db.awaitIndexes($seconds)
