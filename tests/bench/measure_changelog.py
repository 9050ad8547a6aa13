"""Runs the benchmark case of following changes and prints a table and the line for machines; started by tests/bench/run, docs/benchmarks.md
explains it.

Every side is a process that tells the CPU time which it used itself; the server's is not counted. A job is ended when it has read the backlog.
"""
import argparse, datetime, json, os, statistics, sys
from common import Flink, Program, add_arguments, admin, announce, columns_of, declared, report, rounds, sql

PIECE, CHANGES_A_ROW = 50_000, 3
# How much time of the server lies between two pieces.
PAUSE_MS = 30_000
# The class path of Flink 2.2.1.
FLINK = "changelog"


def position(args):
    """The server's newest position in whole seconds, as text in UTC, which is the account's zone too."""
    answer = sql(args, "SELECT CURRENT_TSO_PHYSICAL_TIME FROM information_schema.tso_status;\n")
    millis = max(int(word) for word in answer.replace("|", " ").split() if word.isdigit())
    return datetime.datetime.fromtimestamp(millis // 1000, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def make_backlog(args):
    """Makes changes for hours of the server's time; returns the columns, and where the changes start and end."""
    text = open(os.path.join(args.root, "tests/bench/changelog.sql")).read()
    ddl, rest = text.split("-- insert\n")
    insert, rest = rest.split("-- update\n")
    update, flink = rest.split("-- flink\n")
    sql(args, ddl)
    start = position(args)
    keys = args.rows // CHANGES_A_ROW
    for first in range(0, keys, PIECE):
        piece = min(PIECE, keys - first)
        for statement in (insert, update):
            sql(args, statement.replace("FIRST", str(first)).replace("PIECE", str(piece)))
            admin(args, "/clock", json.dumps({"advance_ms": PAUSE_MS}))
    return columns_of(flink), start, position(args)


def sides(args, columns, start, end):
    doris = (f"'connector' = 'doris', 'fenodes' = '127.0.0.1:{args.fe_http}', 'table.identifier' = 'bench.changelog',"
             f" 'username' = 'root', 'password' = '', 'source.scan.mode' = 'from-timestamp', 'source.scan.timestamp' = '{start}'")
    ours = os.path.join(args.dir, "ours.jar")

    def flink(name, jar, source, parallelism=1):
        return Flink(args, name, FLINK, jar,
                     f"CREATE TABLE src ({declared(columns)}) WITH ({source});\n"
                     f"CREATE TABLE snk ({declared(columns)}) WITH ('connector' = 'counted-rows');\n"
                     "INSERT INTO snk SELECT * FROM src;\n", args.rows, parallelism)

    def slices(count):
        return f"{doris}, 'source.changelog.poll-interval' = '1s', 'source.changelog.slices' = '{count}'"

    made = [flink("ours", ours, slices(1)), flink("ours-4", ours, slices(4), 4)]
    if args.official:
        flight = args.ports["fe"][0]["flight"]
        made.append(flink("official", args.official, f"{doris}, 'source.binlog.poll-interval' = '1s', 'source.use-flight-sql' = 'true',"
                                                     f" 'source.flight-sql-port' = '{flight}'"))
    else:
        print("official: skipped, there is no OFFICIAL_JAR", flush=True)
    made.append(Program("raw", [os.path.join(args.dir, "scan_raw"), "changes", f"127.0.0.1:{args.fe_http}", "bench.changelog",
                                ";".join(f"{column} {kind}" for column, kind in columns), start, end], {}))
    made.append(flink("flink", None, f"'connector' = 'ready-batch', 'rows' = '{args.rows}', 'binary' = 'true'"))
    return made


def resident(side):
    """Megabytes that a process of Flink has in memory."""
    if not isinstance(side, Flink):
        return None
    with open(f"/proc/{side.process.pid}/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS"))


def main():
    args = add_arguments(argparse.ArgumentParser())
    args.mode = "streaming"
    args.rows -= args.rows % CHANGES_A_ROW
    announce(args)
    columns, start, end = make_backlog(args)
    print(f"changes from {start} to {end} UTC", flush=True)
    made = sides(args, columns, start, end)

    def check(side, before):
        came = admin(args, "/stats")["rows_served"] - before["rows_served"]
        if side.name != "flink" and not args.rows <= came < args.rows + 1000:
            sys.exit(f"{side.name} was served {came} rows instead of {args.rows}")
        return {"resident": resident(side) or 0}

    costs = rounds(args, made, check)
    for side in made:
        side.close()
    print("\nmegabytes in memory after each round:")
    for side in made:
        if isinstance(side, Flink):
            print(f"{side.name:12} " + " ".join(f"{value['resident']:.0f}" for value in costs[side.name]))
    print()
    wall = {name: statistics.median(value["wall_s"] for value in values) for name, values in costs.items()}
    report(args, costs, [f"wall_s.{name.replace('-', '_')}={seconds:.2f}" for name, seconds in wall.items() if name != "flink"])


main()
