# Names for habits; the work is in scripts/.
.PHONY: demo test check bench bench-citations bench-relations fmt docs
demo:
	scripts/demo
test:
	scripts/test
check:
	scripts/check
fmt:
	. scripts/_env.sh && sync dev && ruff check --fix . && ruff format .
docs:
	. scripts/_env.sh && sync dev && python -m tests.docs
bench-citations:
	. scripts/_env.sh && sync dev && python -m tests.benchmarks.citations
bench-relations:
	. scripts/_env.sh && sync dev && python -m tests.benchmarks.relations
