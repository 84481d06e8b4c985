// answers: which acts outside the corpus an article cites
// param uid: string, the article's uid
// returns: rows {title, number, article, raw, start, end} in text order
MATCH (a:Article {uid: $uid})-[r:CITES_ACT]->(o:OutsideAct)
RETURN o.title AS title, o.number AS number, r.article AS article, r.raw AS raw, r.start AS start, r.end AS end
ORDER BY r.start, r.article
