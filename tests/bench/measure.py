"""Runs one benchmark case and prints a table and the line for machines; started by tests/bench/run, docs/benchmarks.md explains it.

Every side is a process that tells the CPU time which it used itself; the server's is not counted.
"""
import argparse, json, os, re, statistics, subprocess, sys, urllib.request

OPENS = [f"--add-opens=java.base/java.{p}=ALL-UNNAMED" for p in ("nio", "lang", "util")]
PIECE = 1_000_000


class Flink:
    """A connector in a JVM that stays, so that what is measured is warm."""

    def __init__(self, args, name, flink, jar, source):
        self.name = name
        script = os.path.join(args.dir, name + ".sql")
        with open(script, "w") as f:
            columns = ", ".join(f"`{column}` {kind}" for column, kind in args.columns)
            f.write(f"CREATE TABLE src ({columns}) WITH ({source});\n"
                    f"CREATE TABLE snk ({columns}) WITH ('connector' = 'blackhole');\n"
                    "INSERT INTO snk SELECT * FROM src;\n")
        lists = [os.path.join(args.root, "build/classpath", f) for f in (flink + ".txt", "tools.txt")]
        # The folder of the sources holds the service file of the table that stands for Flink alone.
        path = ([jar] if jar else []) + [p for f in lists for p in open(f).read().split()] + [os.path.join(args.root, "tests/tools")]
        self.log = os.path.join(args.dir, name + ".log")
        self.process = subprocess.Popen(
            ["java", "-Xmx2g", "-XX:+UseSerialGC", "-Duser.timezone=UTC", *OPENS, *args.java_options,
             f"-Dlog4j.configurationFile={args.root}/tests/lib/quiet.properties", "-cp", ":".join(path),
             "doris.connector.bench.Worker", args.mode, script],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(self.log, "w"), text=True)
        self.expect("ready")

    def expect(self, what):
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"{self.name} ended early:\n" + open(self.log).read()[-4000:])
            if line.startswith(what):
                return line

    def run(self):
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        return figures(self.expect("cpu_s="))

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


class Client:
    """The Rust client in a process of its own. `raw` takes Flight messages and throws them away; `scan` checks and converts
    them as the connector does, and throws them away then."""

    def __init__(self, args, mode):
        self.name = mode
        self.command = [os.path.join(args.dir, "scan_raw"), mode, f"127.0.0.1:{args.fe_http}", f"bench.{args.table}",
                        ";".join(f"{column} {kind}" for column, kind in args.columns)]
        self.environment = {**os.environ, "DORIS_FLIGHT_PORT": str(args.fe_flight)}

    def run(self):
        done = subprocess.run(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        if done.returncode != 0:
            sys.exit(f"{self.name} failed: {done.stderr[-4000:]}")
        return figures(done.stdout)

    def close(self):
        pass


def figures(line):
    return {k: float(v) for k, v in re.findall(r"(\w+)=([\d.]+)", line)}


def sql(args, text):
    file = os.path.join(args.dir, "statements.sql")
    with open(file, "w") as f:
        f.write(text)
    done = subprocess.run([args.standin, "sql", "--port", str(args.mysql), file],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout)


def stats(args):
    with urllib.request.urlopen(f"http://127.0.0.1:{args.admin}/stats") as answer:
        return json.load(answer)


def make_table(args):
    """Fills the table; returns names and types of its columns as Flink declares them."""
    ddl, rest = open(os.path.join(args.root, "tests/bench", args.table + ".sql")).read().split("-- piece\n")
    piece, flink = rest.split("-- flink\n")
    sql(args, ddl)
    for first in range(0, args.rows, PIECE):
        rows = min(PIECE, args.rows - first)
        sql(args, piece.replace("FIRST", str(first)).replace("PIECE", str(rows)))
    return [line.split(" ", 1) for line in flink.strip().splitlines()]


def arguments():
    parser = argparse.ArgumentParser()
    for name in ("case", "dir", "root", "standin", "official"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--skip-flink2", action="store_true")
    args = parser.parse_args()
    # In batch execution Flink hands rows on without copying them, so that no column is read that the job does not read.
    args.table, batch, _ = args.case.partition("-batch")
    args.mode = "batch" if batch else "streaming"
    with open(os.path.join(args.dir, "ports.json")) as f:
        ports = json.load(f)
    args.fe_http, args.mysql, args.admin = ports["fe"][0]["http"], ports["fe"][0]["mysql"], ports["admin"]
    args.fe_flight = ports["fe"][0]["flight"]
    args.java_options = os.environ.get("BENCH_JAVA_OPTIONS", "").split()
    return args


def sides(args):
    doris = (f"'connector' = 'doris', 'fenodes' = '127.0.0.1:{args.fe_http}', 'table.identifier' = 'bench.{args.table}',"
             " 'username' = 'root', 'password' = ''")
    flight = f", 'source.use-flight-sql' = 'true', 'source.flight-sql-port' = '{args.fe_flight}'"
    ours = os.path.join(args.dir, "ours.jar")
    made = [Flink(args, "ours", "interop", ours, doris),
            Flink(args, "official", "interop", args.official, doris + flight),
            Client(args, "raw"),
            Client(args, "scan"),
            Flink(args, "flink", "interop", None, f"'connector' = 'ready-batch', 'rows' = '{args.rows}'")]
    if not args.skip_flink2:
        made.append(Flink(args, "ours-2.3.0", "flink-2.3.0", ours, doris))
    return made


def measure(args, made):
    """CPU and wall seconds of each side in each round."""
    costs = {side.name: [] for side in made}
    for number in range(args.rounds + 1):
        for side in made:
            before = stats(args)["rows_served"]
            cost = side.run()
            came = stats(args)["rows_served"] - before
            # A connector also asks for a schema, which is a handful of rows.
            if side.name != "flink" and not args.rows <= came < args.rows + 1000:
                sys.exit(f"{side.name} was served {came} rows instead of {args.rows}")
            costs[side.name].append(cost)
        print(("warmed (not counted): " if number == 0 else f"round {number}: ")
              + ", ".join(f"{side.name} {costs[side.name][-1]['cpu_s']:.2f} s" for side in made), flush=True)
    return {name: values[1:] for name, values in costs.items()}


def report(args, costs):
    served = stats(args)
    print(f"\n{served['bytes_served'] / served['rows_served']:.0f} bytes a row and"
          f" {served['rows_served'] / served['batches_served']:,.0f} rows a batch on the wire\n")
    print(f"{'':12} {'rows per CPU second':>20} {'lowest':>12} {'highest':>12} {'CPU s':>8} {'wall s':>8}")
    rates = {}
    for name, values in costs.items():
        cpu = [value["cpu_s"] for value in values]
        rate = [args.rows / c for c in cpu]
        rates[name] = statistics.median(rate)
        wall = statistics.median(value["wall_s"] for value in values)
        print(f"{name:12} {rates[name]:20,.0f} {min(rate):12,.0f} {max(rate):12,.0f} {statistics.median(cpu):8.2f} {wall:8.2f}")
    rounds = list(zip(*([value["cpu_s"] for value in costs[name]] for name in ("ours", "official", "raw", "flink"))))
    ratios = {
        "official": ([official / ours for ours, official, _, _ in rounds], "ours over official"),
        "raw": ([ours / raw for ours, _, raw, _ in rounds], "raw over ours, 1 is the limit"),
        "net": ([(official - flink) / max(ours - flink, 1e-3) for ours, official, _, flink in rounds],
                "ours over official, Flink's own part taken off both"),
        "raw_net": ([(ours - flink) / raw for ours, _, raw, flink in rounds], "raw over ours, Flink's own part taken off ours"),
    }
    print()
    for name, (values, meaning) in ratios.items():
        print(f"ratio.{name:9} {statistics.median(values):7.2f}  ({min(values):.2f} to {max(values):.2f})  {meaning}")
    print(f"\nbench {args.case} "
          + " ".join([f"rows_per_cpu_s.{name.replace('-', '_')}={rate:.0f}" for name, rate in rates.items()]
                     + [f"ratio.{name}={statistics.median(values):.3f}" for name, (values, _) in ratios.items()]))


def main():
    args = arguments()
    load = os.getloadavg()[0]
    print(f"case {args.case}: {args.rows:,} rows, {args.rounds} rounds, {os.cpu_count()} cores, load {load:.1f}"
          + (" (the machine is busy: figures will vary)" if load > 0.5 * os.cpu_count() else ""), flush=True)
    args.columns = make_table(args)
    made = sides(args)
    costs = measure(args, made)
    for side in made:
        side.close()
    report(args, costs)


main()
