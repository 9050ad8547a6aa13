# Entry points. Nothing is decided here: cargo, gradle and the scripts under tests/ do the work.
.PHONY: demo sql jar test check format interop bench chaos cdc

demo:
	@tests/demo/run

sql:
	@tests/sql/run $(FILE)

jar:
	@tests/lib/jar

test:
	@tests/run

check:
	@tests/check/run

format:
	@cargo fmt --all
	@gradle --no-daemon -q format

interop:
	@tests/interop/run

bench:
	@tests/bench/run $(CASE)

chaos:
	@tests/chaos/run

cdc:
	@tests/cdc/run
