// answers: the citations of acts that a version does not hold
// param corpus_uid: string, key@version
// returns: rows {source_id, act, act_title, act_number, article, raw, start, end}
MATCH (o:OutsideAct {corpus_uid: $corpus_uid})<-[r:CITES_ACT]-(a:Article)
RETURN a.ref AS source_id, r.act AS act, r.act_title AS act_title, r.act_number AS act_number, r.article AS article,
       r.raw AS raw, r.start AS start, r.end AS end
