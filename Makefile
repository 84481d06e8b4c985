# Names for habits; the work is in scripts/.
.PHONY: demo test check bench bench-citations bench-relations bench-models bench-analysis fmt docs
demo:
	scripts/demo
test:
	scripts/test
check:
	scripts/check
bench:
	scripts/run python -m tests.benchmarks
bench-citations:
	scripts/run python -m tests.benchmarks.citations
bench-relations:
	scripts/run python -m tests.benchmarks.relations
bench-models:
	scripts/run python -m tests.benchmarks.models
	scripts/run python -m tests.benchmarks.limiter
bench-analysis:
	scripts/run python -m tests.benchmarks.analysis
fmt:
	scripts/run ruff check --fix .
	scripts/run ruff format .
docs:
	scripts/run python -m tests.docs
