// answers: the wording and the validity of some norms
// param uids: list, uids of the norms
// returns: rows {article}, for those that there are
UNWIND $uids AS uid
MATCH (a:Article {uid: uid})
RETURN a {.ref, .act, .title, .text, .valid_from, .valid_from_basis, .valid_to, .repealed} AS article
