// answers: an article's title
// param uid: string, the article's uid
// returns: one row {title} or none
MATCH (a:Article {uid: $uid})
RETURN a.title AS title
