// answers: how much of a version is in the graph
// param corpus_uid: string, key@version
// returns: one row {acts, articles, relations, outside_acts, outside_citations}
RETURN
  COUNT { MATCH (:Act {corpus_uid: $corpus_uid}) } AS acts,
  COUNT { MATCH (a:Article) WHERE a.corpus_uid = $corpus_uid AND a.sort_key >= '' } AS articles,
  COUNT {
    MATCH (a:Article)-[:REFERS_TO|APPLIES_TO|EXCLUDES|SUPPLEMENTS|PREVAILS_OVER]->(:Article)
    WHERE a.corpus_uid = $corpus_uid AND a.sort_key >= ''
  } AS relations,
  COUNT { MATCH (:OutsideAct {corpus_uid: $corpus_uid}) } AS outside_acts,
  COUNT { MATCH (:OutsideAct {corpus_uid: $corpus_uid})<-[:CITES_ACT]-() } AS outside_citations
