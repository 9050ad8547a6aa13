"""Runs one benchmark case of reading and prints a table and the line for machines; started by tests/bench/run, docs/benchmarks.md
explains it.

Every side is a process that tells the CPU time which it used itself; the server's is not counted.
"""
import argparse, os, sys
from common import Flink, Program, add_arguments, admin, announce, columns_of, declared, report, rounds, sql

PIECE = 1_000_000


def make_table(args):
    """Fills the table; returns names and types of its columns as Flink declares them."""
    ddl, rest = open(os.path.join(args.root, "tests/bench", args.table + ".sql")).read().split("-- piece\n")
    piece, flink = rest.split("-- flink\n")
    sql(args, ddl)
    for first in range(0, args.rows, PIECE):
        rows = min(PIECE, args.rows - first)
        sql(args, piece.replace("FIRST", str(first)).replace("PIECE", str(rows)))
    return columns_of(flink)


def sides(args):
    doris = (f"'connector' = 'doris', 'fenodes' = '127.0.0.1:{args.fe_http}', 'table.identifier' = 'bench.{args.table}',"
             " 'username' = 'root', 'password' = ''")
    fe_flight = args.ports["fe"][0]["flight"]
    flight = f", 'source.use-flight-sql' = 'true', 'source.flight-sql-port' = '{fe_flight}'"
    ours = os.path.join(args.dir, "ours.jar")

    def flink(name, version, jar, source):
        columns = declared(args.columns)
        return Flink(args, name, version, jar,
                     f"CREATE TABLE src ({columns}) WITH ({source});\n"
                     f"CREATE TABLE snk ({columns}) WITH ('connector' = 'blackhole');\n"
                     "INSERT INTO snk SELECT * FROM src;\n")

    def client(mode):
        """`raw` takes Flight messages and throws them away; `scan` checks and converts them as the connector does, and throws
        them away then."""
        command = [os.path.join(args.dir, "scan_raw"), mode, f"127.0.0.1:{args.fe_http}", f"bench.{args.table}",
                   ";".join(f"{column} {kind}" for column, kind in args.columns)]
        return Program(mode, command, {"DORIS_FLIGHT_PORT": str(fe_flight)})

    made = [flink("ours", "interop", ours, doris),
            flink("official", "interop", args.official, doris + flight),
            client("raw"),
            client("scan"),
            flink("flink", "interop", None, f"'connector' = 'ready-batch', 'rows' = '{args.rows}',"
                                            f" 'binary' = '{str(args.mode == 'streaming').lower()}'")]
    if not args.skip_flink2:
        made.append(flink("ours-2.3.0", "flink-2.3.0", ours, doris))
    return made


def main():
    args = add_arguments(argparse.ArgumentParser())
    # In batch execution Flink hands rows on without copying them, so that no column is read that the job does not read.
    args.table, batch, _ = args.case.partition("-batch")
    args.mode = "batch" if batch else "streaming"
    announce(args)
    args.columns = make_table(args)
    made = sides(args)

    def check(side, before):
        came = admin(args, "/stats")["rows_served"] - before["rows_served"]
        # A connector also asks for a schema, which is a handful of rows.
        if side.name != "flink" and not args.rows <= came < args.rows + 1000:
            sys.exit(f"{side.name} was served {came} rows instead of {args.rows}")

    costs = rounds(args, made, check)
    for side in made:
        side.close()
    served = admin(args, "/stats")
    print(f"\n{served['bytes_served'] / served['rows_served']:.0f} bytes a row and"
          f" {served['rows_served'] / served['batches_served']:,.0f} rows a batch on the wire\n")
    report(args, costs)


main()
