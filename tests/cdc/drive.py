"""Changes PostgreSQL under running jobs, fails them over meanwhile, and compares both databases at the end.

The last line is `path=… changes=… failovers=… rows=… missing=0 extra=0 wrong=0`; the exit code is 0 only when the last three are.
"""
import argparse
import collections
import random
import sys
import threading
import time

import psycopg
import pymysql

from changes import Changes
from cluster import Flink, Stalled, Standin, until
from compare import compare

ZONE = "America/New_York"


class FailOvers(threading.Thread):
    """Fails the jobs over, each time when so many changes were made, in one of several ways."""

    def __init__(self, arguments, flink, standin, jobs, changes, rng):
        super().__init__(daemon=True)
        self.flink, self.standin, self.jobs, self.changes, self.rng, self.database = flink, standin, jobs, changes, rng, arguments.database
        self.postgres = arguments.postgres
        # The first falls between the trigger of a checkpoint and its completion.
        others = ["process", "connection", "checkpoint"]
        self.kinds = (["checkpoint"] + rng.sample(others, len(others)) * arguments.failovers)[: arguments.failovers]
        self.at = sorted(rng.sample(range(arguments.changes // 20, arguments.changes * 9 // 10), arguments.failovers))
        self.struck, self.most = 0, max(100, arguments.changes // 50)
        self.error = None

    def limit(self):
        """Up to which count changes may be made before the next fail-over has struck."""
        return self.at[self.struck] + self.most if self.struck < len(self.at) else None

    def run(self):
        try:
            for number, (kind, at) in enumerate(zip(self.kinds, self.at), 1):
                while self.changes.count < at:
                    time.sleep(0.01)
                self.strike(number, kind)
        except Exception as e:  # noqa: BLE001 the main thread tells it
            self.error = e

    def strike(self, number, kind):
        before = {job: self.flink.restarted(job) for job in self.jobs}
        rule, what = None, "a task manager was killed"
        table = self.database + "." + self.rng.choice(self.changes.tables).name
        if kind == "checkpoint":
            rule = self.standin.hold("txn.precommit", table)
            until("a load is held", lambda: self.standin.holding(rule), lambda: self.changes.count, self.flink.check)
            under_way = [job for job in self.jobs if self.flink.under_way(job)]
            if not under_way:
                raise Stalled("no checkpoint is under way while a pre-commit is held")
            what += f" while a checkpoint was under way, with a load into {table} not pre-committed"
        count = self.changes.count
        if kind == "connection":
            with psycopg.connect(self.postgres, autocommit=True) as admin:
                ended = admin.execute("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_replication").fetchone()[0]
            what = f"PostgreSQL ended {ended} replication connections"
        else:
            self.flink.kill_task_manager()
        self.struck += 1
        print(f"  fail-over {number}, after {count:,} changes: {what}", flush=True)
        if kind != "connection":
            self.flink.start_task_manager()
        if rule is not None:
            until("Flink restarts the jobs", lambda: all(self.flink.restarted(job) > then for job, then in before.items()),
                  lambda: [self.flink.get(f"/jobs/{job}").get("state") for job in self.jobs], self.flink.check)
            self.standin.release(rule)
        self.flink.after_fail_over(before)
        print(f"  running again after {self.changes.count:,} changes", flush=True)


def wait_for_marks(doris, database, marks, flink):
    """Until the rows that were written last are seen in Doris."""
    for table, key in marks.items():
        where = " AND ".join(f"`{name}` = {value!r}" for name, value in key.items())

        def seen():
            doris.execute(f"SELECT COUNT(*) FROM {database}.{table} WHERE {where}")
            return int(doris.fetchone()[0]) == 1

        def rows():
            doris.execute(f"SELECT COUNT(*) FROM {database}.{table}")
            return doris.fetchone()[0]
        until(f"the last row of {table} arrives", seen, rows, flink.check)


def main():
    parser = argparse.ArgumentParser()
    for name in ("path", "postgres", "database", "tables", "flink-rest", "pid-file", "log", "savepoints"):
        parser.add_argument("--" + name, required=True)
    for name in ("mysql-port", "admin-port", "changes", "failovers", "seed"):
        parser.add_argument("--" + name, type=int, required=True)
    arguments = parser.parse_args()

    flink, standin = Flink(arguments.flink_rest, arguments.pid_file, arguments.log), Standin(arguments.admin_port)
    changes = Changes(arguments.postgres, arguments.tables.split(","), arguments.seed)
    doris = pymysql.connect(host="127.0.0.1", port=arguments.mysql_port, user="root", charset="utf8mb4", autocommit=True, conv={}).cursor()
    jobs = list(until("a job is there", flink.jobs))

    began = time.monotonic()
    fail_overs = FailOvers(arguments, flink, standin, jobs, changes, random.Random(arguments.seed))
    fail_overs.start()
    while changes.count < arguments.changes:
        limit = fail_overs.limit()
        if limit is not None and changes.count >= limit:
            # Slowly, until the fail-over strikes: one in the middle of a load needs changes.
            time.sleep(0.5)
        if fail_overs.error:
            break
        changes.transaction(arguments.changes - changes.count if limit is None else 5 if changes.count >= limit else limit - changes.count)
    if not fail_overs.error:
        print("  {:,} changes in {:,} transactions in {:.0f} s ({}; {} more transactions rolled back)".format(
            changes.count, changes.transactions - changes.rolled_back, time.monotonic() - began,
            ", ".join(f"{number:,} {kind}" for kind, number in changes.kinds.items()), changes.rolled_back), flush=True)
    fail_overs.join()
    if fail_overs.error:
        raise fail_overs.error
    wait_for_marks(doris, arguments.database, changes.mark(), flink)
    failures = collections.Counter(cause for job in jobs for cause in flink.failures(job))
    for job in jobs:
        flink.stop(job, arguments.savepoints)
    print(f"  the last row was there, and the jobs stopped, {time.monotonic() - began:.0f} s after the first change")
    for cause, number in failures.items():
        print(f"  tasks failed {number} times: {cause}")
    with psycopg.connect(arguments.postgres) as postgres:
        found = compare(postgres, doris, arguments.database, changes.tables, ZONE)
    for example in found.lines():
        print("  " + example)
    print(f"path={arguments.path} changes={changes.count} failovers={fail_overs.struck} rows={found.rows}"
          f" missing={found.missing} extra={found.extra} wrong={found.wrong}", flush=True)
    sys.exit(0 if found.exact() and fail_overs.struck == arguments.failovers else 1)


if __name__ == "__main__":
    try:
        main()
    except Stalled as e:
        sys.exit(f"gave up: {e}")
