// answers: which Neo4j this is
// returns: one row {name, version, edition}
CALL dbms.components() YIELD name, versions, edition
RETURN name, versions[0] AS version, edition
