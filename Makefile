# Names for habits; the work is in scripts/.
.PHONY: demo test check bench fmt docs
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
