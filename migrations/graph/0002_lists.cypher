// Keyset paging of articles by place and of relations by ordinal, within one version of one corpus.
CREATE INDEX article_place IF NOT EXISTS FOR (a:Article) ON (a.corpus_uid, a.sort_key);
CREATE INDEX article_norm IF NOT EXISTS FOR (a:Article) ON (a.corpus_uid, a.norm_id);
CREATE INDEX act_corpus IF NOT EXISTS FOR (a:Act) ON (a.corpus_uid);
CREATE INDEX outside_corpus IF NOT EXISTS FOR (o:OutsideAct) ON (o.corpus_uid);
CREATE INDEX refers_place IF NOT EXISTS FOR ()-[r:REFERS_TO]-() ON (r.corpus_uid, r.ordinal);
CREATE INDEX applies_place IF NOT EXISTS FOR ()-[r:APPLIES_TO]-() ON (r.corpus_uid, r.ordinal);
CREATE INDEX excludes_place IF NOT EXISTS FOR ()-[r:EXCLUDES]-() ON (r.corpus_uid, r.ordinal);
CREATE INDEX supplements_place IF NOT EXISTS FOR ()-[r:SUPPLEMENTS]-() ON (r.corpus_uid, r.ordinal);
CREATE INDEX prevails_place IF NOT EXISTS FOR ()-[r:PREVAILS_OVER]-() ON (r.corpus_uid, r.ordinal);
