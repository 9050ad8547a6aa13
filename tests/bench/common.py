"""What the benchmark cases share: sides that are processes and tell their own CPU time, the server's statistics, ratios."""
import json, os, re, statistics, subprocess, sys, urllib.request

OPENS = [f"--add-opens=java.base/java.{p}=ALL-UNNAMED" for p in ("nio", "lang", "util")]


class Flink:
    """A connector in a JVM that stays, so that what is measured is warm."""

    def __init__(self, args, name, flink, jar, statements, *endless):
        """`statements`: SQL, each ended by a semicolon at the end of a line; the last one is the job. `endless`: its rows and parallelism,
        when the job has no end of its own."""
        self.name = name
        script = os.path.join(args.dir, name + ".sql")
        with open(script, "w") as f:
            f.write(statements)
        lists = [os.path.join(args.root, "build/classpath", f) for f in (flink + ".txt", "tools.txt")]
        # The folder of the sources holds the service file of the table that stands for Flink alone.
        path = ([jar] if jar else []) + [p for f in lists for p in open(f).read().split()] + [os.path.join(args.root, "tests/tools")]
        self.log = os.path.join(args.dir, name + ".log")
        self.process = subprocess.Popen(
            ["java", "-Xmx2g", "-XX:+UseSerialGC", "-Duser.timezone=UTC", *OPENS, *args.java_options,
             f"-Dlog4j.configurationFile={args.root}/tests/lib/quiet.properties", "-cp", ":".join(path),
             "doris.connector.bench.Worker", args.mode, script, *map(str, endless)],
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


class Program:
    """A Rust client in a process of its own for each run."""

    def __init__(self, name, command, environment):
        self.name = name
        self.command = command
        self.environment = {**os.environ, **environment}

    def run(self):
        done = subprocess.run(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        if done.returncode != 0:
            sys.exit(f"{self.name} failed: {done.stderr[-4000:]}")
        return figures(done.stdout)

    def close(self):
        pass


def figures(line):
    return {k: float(v) for k, v in re.findall(r"(\w+)=([\d.]+)", line)}


def columns_of(text):
    """Names and types from the part of a case's file behind `-- flink`."""
    return [line.split(" ", 1) for line in text.strip().splitlines()]


def declared(columns):
    return ", ".join(f"`{column}` {kind}" for column, kind in columns)


def sql(args, text):
    file = os.path.join(args.dir, "statements.sql")
    with open(file, "w") as f:
        f.write(text)
    done = subprocess.run([args.standin, "sql", "--port", str(args.mysql), file],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout)
    return done.stdout


def admin(args, path, body=None):
    """GET, or POST with a body."""
    request = urllib.request.Request(f"http://127.0.0.1:{args.admin}{path}", data=None if body is None else body.encode())
    with urllib.request.urlopen(request) as answer:
        text = answer.read()
    return json.loads(text) if text.strip() else None


def add_arguments(parser):
    for name in ("case", "dir", "root", "standin", "official"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--skip-flink2", action="store_true")
    args = parser.parse_args()
    with open(os.path.join(args.dir, "ports.json")) as f:
        args.ports = json.load(f)
    front = args.ports["fe"][0]
    args.fe_http, args.mysql, args.admin = front["http"], front["mysql"], args.ports["admin"]
    args.java_options = os.environ.get("BENCH_JAVA_OPTIONS", "").split()
    return args


def announce(args):
    load = os.getloadavg()[0]
    print(f"case {args.case}: {args.rows:,} rows, {args.rounds} rounds, {os.cpu_count()} cores, load {load:.1f}"
          + (" (the machine is busy: figures will vary)" if load > 0.5 * os.cpu_count() else ""), flush=True)


def rounds(args, made, check):
    """CPU and wall seconds of each side in each round; `check(side, before)` looks at what the server saw."""
    costs = {side.name: [] for side in made}
    for number in range(args.rounds + 1):
        for side in made:
            before = admin(args, "/stats")
            cost = side.run()
            cost.update(check(side, before) or {})
            costs[side.name].append(cost)
        print(("warmed (not counted): " if number == 0 else f"round {number}: ")
              + ", ".join(f"{side.name} {costs[side.name][-1]['cpu_s']:.2f} s" for side in made), flush=True)
    return {name: values[1:] for name, values in costs.items()}


def report(args, costs, more=()):
    """The table, the ratios and the line for machines. `more`: further `name=value` for the line."""
    print(f"{'':12} {'rows per CPU second':>20} {'lowest':>12} {'highest':>12} {'CPU s':>8} {'wall s':>8}")
    rates = {}
    for name, values in costs.items():
        cpu = [value["cpu_s"] for value in values]
        rate = [args.rows / c for c in cpu]
        rates[name] = statistics.median(rate)
        wall = statistics.median(value["wall_s"] for value in values)
        print(f"{name:12} {rates[name]:20,.0f} {min(rate):12,.0f} {max(rate):12,.0f} {statistics.median(cpu):8.2f} {wall:8.2f}")
    cpu = {name: [value["cpu_s"] for value in values] for name, values in costs.items()}
    ours, raw, flink = cpu["ours"], cpu["raw"], cpu["flink"]
    # The official connector may be skipped.
    official = cpu.get("official", [])
    ratios = {
        "official": ([t / o for o, t in zip(ours, official)], "ours over official"),
        "raw": ([o / r for o, r in zip(ours, raw)], "raw over ours, 1 is the limit"),
        "net": ([(t - f) / max(o - f, 1e-3) for o, t, f in zip(ours, official, flink)],
                "ours over official, Flink's own part taken off both"),
        "raw_net": ([(o - f) / r for o, r, f in zip(ours, raw, flink)], "raw over ours, Flink's own part taken off ours"),
    }
    ratios = {name: ratio for name, ratio in ratios.items() if ratio[0]}
    print()
    for name, (values, meaning) in ratios.items():
        print(f"ratio.{name:9} {statistics.median(values):7.2f}  ({min(values):.2f} to {max(values):.2f})  {meaning}")
    print(f"\nbench {args.case} "
          + " ".join([f"rows_per_cpu_s.{name.replace('-', '_')}={rate:.0f}" for name, rate in rates.items()]
                     + [f"ratio.{name}={statistics.median(values):.3f}" for name, (values, _) in ratios.items()] + list(more)))
