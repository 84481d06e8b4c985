# Names for habits; the work is in scripts/.
.PHONY: demo test check fmt docs bench bench-analysis bench-chains bench-citations bench-evaluation bench-models bench-paths
.PHONY: bench-relations bench-search bench-spine bench-statutes
demo:
	scripts/demo
test:
	scripts/test
check:
	scripts/check
bench:
	scripts/run python -m tests.benchmarks
bench-analysis:
	scripts/run python -m tests.benchmarks.analysis
# FILE: an export of a corpus; without it the sample.
bench-chains:
	scripts/run python -m tests.benchmarks.chains $(FILE)
bench-citations:
	scripts/run python -m tests.benchmarks.citations
	scripts/run python -m tests.benchmarks.citations_chinese
bench-evaluation:
	scripts/run python -m tests.benchmarks.evaluation
bench-models:
	scripts/run python -m tests.benchmarks.models
	scripts/run python -m tests.benchmarks.limiter
bench-paths:
	scripts/run python -m tests.benchmarks.paths
bench-relations:
	scripts/run python -m tests.benchmarks.relations
bench-search:
	scripts/run python -m tests.benchmarks.search
bench-spine:
	scripts/run python -m tests.benchmarks.spine
bench-statutes:
	scripts/run python -m tests.benchmarks.statutes
fmt:
	scripts/run ruff check --fix .
	scripts/run ruff format .
docs:
	scripts/run python -m tests.docs
