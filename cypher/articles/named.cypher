// answers: the articles of these names, in the order given, without texts
// param uids: list, uids of articles
// returns: rows {article}
UNWIND range(0, size($uids) - 1) AS i
MATCH (a:Article {uid: $uids[i]})
RETURN a {.norm_id, .ref, .act, .edition, .number, .title, .valid_from, .valid_from_basis, .valid_to, .amended_on,
          .repealed, .chars} AS article
ORDER BY i
