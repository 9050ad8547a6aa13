"""Runs one benchmark case of writing and prints a table and the line for machines; started by tests/bench/run, docs/benchmarks.md
explains it.

Every side is a process that tells the CPU time which it used itself; the server's is not counted. The table throws rows away;
that each side loads all of them is checked once, with fewer rows, in a table that keeps them.
"""
import argparse, os, re, statistics, sys
from common import Flink, Program, add_arguments, admin, announce, columns_of, declared, report, rounds, sql

CHECKED_ROWS = 50_000
FORMATS = {"sink-json-gz": ("json", "gz"), "sink-csv-gz": ("csv", "gz"), "sink-arrow": ("arrow", ""), "sink-batch": ("json", "gz")}
# The defaults of both connectors, spelled out.
BATCH_MODE = {"sink.enable.batch-mode": "true", "sink.buffer-flush.max-rows": "500000", "sink.buffer-flush.max-bytes": "100mb",
              "sink.buffer-flush.interval": "10s", "sink.flush.queue-size": "2"}


def statements(args, columns, target, rows):
    """The job, without a checkpoint: it ends with its rows, and both connectors commit then, or flush in batch mode."""
    return (f"CREATE TABLE src ({declared(columns)}) WITH ('connector' = 'ready-batch', 'rows' = '{rows}', 'mixed' = 'true');\n"
            f"CREATE TABLE snk ({declared(columns)}) WITH ({target});\n"
            "INSERT INTO snk" + ("" if "blackhole" in target else " /*+ OPTIONS('sink.label-prefix' = 'bench-RUN') */")
            + " SELECT * FROM src;\n")


def target(args, table):
    format_name, compress = FORMATS[args.case]
    # Both by default where that is the same; the official one does not compress by default.
    options = {
        "connector": "doris", "fenodes": f"127.0.0.1:{args.fe_http}", "table.identifier": f"bench.{table}", "username": "root",
        "password": "", "sink.enable-delete": "false", "sink.properties.format": format_name,
        "sink.properties.compress_type": compress,
    }
    if args.case == "sink-batch":
        options.update(BATCH_MODE)
    if format_name == "json":
        options["sink.properties.read_json_by_line"] = "true"
    if format_name == "csv":
        options["sink.properties.column_separator"] = "\\x09"
    return ", ".join(f"'{key}' = '{value}'" for key, value in options.items())


def check_rows(args, columns, name, flink, jar):
    """Loads a few rows into the table that keeps them, and looks at them."""
    side = Flink(args, name + "-check", flink, jar, statements(args, columns, target(args, "kept"), CHECKED_ROWS))
    side.run()
    side.close()
    digest = sql(args, "SELECT count(*), count(note), sum(id), sum(a), sum(b), sum(amount), min(at), max(at), sum(length(name)),"
                       " sum(length(note)) FROM bench.kept;\n")
    sql(args, "TRUNCATE TABLE bench.kept;\n")
    if str(CHECKED_ROWS) not in digest:
        sys.exit(f"{name} did not load {CHECKED_ROWS} rows: {digest}")
    return digest


def sides(args, columns):
    ours = os.path.join(args.dir, "ours.jar")
    table = target(args, "sink")

    def flink(name, version, jar, sink):
        return Flink(args, name, version, jar, statements(args, columns, sink, args.rows))

    made = [flink("ours", "interop", ours, table),
            flink("official", "interop", args.official, table)]
    format_name, compress = FORMATS[args.case]
    made.append(Program("raw", [os.path.join(args.dir, "load_raw"), format_name, compress or "none",
                                f"127.0.0.1:{args.ports['be'][0]['http']}", "bench.sink", str(args.rows)], {}))
    made.append(flink("flink", "interop", None, "'connector' = 'blackhole'"))
    if not args.skip_flink2:
        made.append(flink("ours-2.3.0", "flink-2.3.0", ours, table))
    return made


def main():
    args = add_arguments(argparse.ArgumentParser())
    args.mode = "streaming"
    announce(args)
    ddl, flink = open(os.path.join(args.root, "tests/bench/sink.sql")).read().split("-- flink\n")
    sql(args, ddl)
    columns = columns_of(flink)
    digests = {name: check_rows(args, columns, name, "interop", jar)
               for name, jar in (("ours", os.path.join(args.dir, "ours.jar")), ("official", args.official))}
    if len(set(digests.values())) != 1:
        sys.exit(f"the connectors load different rows: {digests}")
    print(f"both load the same {CHECKED_ROWS:,} rows into a table that keeps them", flush=True)
    admin(args, "/tables/bench/sink/discard", "")
    made = sides(args, columns)

    def check(side, before):
        loads = [stats["loads"].get("bench.sink", {"bytes": 0})["bytes"] for stats in (before, admin(args, "/stats"))]
        return {"bytes": loads[1] - loads[0]}

    costs = rounds(args, made, check)
    for side in made:
        side.close()
    sizes = {name: statistics.median(value["bytes"] for value in values) / args.rows for name, values in costs.items()
             if name != "flink"}
    if min(sizes.values()) < 1:
        sys.exit(f"a side sent less than it should: {sizes} bytes a row")
    print("\nbytes a row on the wire: " + ", ".join(f"{name} {size:.1f}" for name, size in sizes.items()) + "\n")
    report(args, costs, [f"bytes_per_row.{name.replace('-', '_')}={size:.2f}" for name, size in sizes.items()])


main()
