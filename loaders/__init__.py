"""From the texts of statutes to articles, citations and typed relations."""
