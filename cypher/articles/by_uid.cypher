// answers: what an article says, how many relations it has either way, and which acts outside the corpus it cites
// param uid: string, the article's uid
// returns: one row {article, outgoing, incoming, outside} or none
MATCH (a:Article {uid: $uid})
RETURN
  a {.norm_id, .ref, .act, .edition, .number, .title, .path, .text, .paragraphs_json, .notes_json, .amendments_json,
     .valid_from, .valid_from_basis, .valid_to, .amended_on, .repealed, .repealed_by, .chars} AS article,
  COUNT { (a)-[:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->() } AS outgoing,
  COUNT { (a)<-[:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]-() } AS incoming,
  COLLECT {
    MATCH (a)-[r:CITES_ACT]->(:OutsideAct)
    RETURN r {.act, .act_title, .act_number, .article, .raw, .start, .end}
    ORDER BY r.start, r.article
  } AS outside
