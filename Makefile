# Names for habits; the work is in scripts/.
.PHONY: demo test check bench bench-citations bench-relations fmt docs
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
fmt:
	scripts/run ruff check --fix .
	scripts/run ruff format .
docs:
	scripts/run python -m tests.docs
