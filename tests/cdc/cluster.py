"""What a run sees of Flink and of the stand-in, and what it does to them."""
import collections
import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request

STILL = 120  # seconds without any progress
MOST_FAILURES = 12  # of those that Flink remembers, which are 16


class Stalled(Exception):
    pass


def until(what, condition, progress=lambda: None, check=lambda: None):
    """Waits for a condition and returns what it gives; fails when `progress` stays the same for long, or `check` raises."""
    seen, last = None, time.monotonic()
    while True:
        if found := condition():
            return found
        check()
        if (now := progress()) != seen:
            seen, last = now, time.monotonic()
        if time.monotonic() - last > STILL:
            raise Stalled(f"{what}: nothing moved for {STILL} s; last seen: {seen}")
        time.sleep(0.05)


def call(url, body=None, method=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


class Standin:
    """Fault rules of the stand-in."""

    def __init__(self, admin):
        self.url = f"http://127.0.0.1:{admin}"

    def hold(self, at, table, **match):
        """Holds the next request at a point; returns the rule's id."""
        return call(self.url + "/faults", {"at": at, "match": {"table": table, **match}, "do": {"hold": True}, "times": 1})["id"]

    def holding(self, rule):
        return any(r["id"] == rule and r["holding"] for r in call(self.url + "/faults"))

    def release(self, rule):
        call(f"{self.url}/faults/{rule}", method="DELETE")


class Flink:
    """A standalone cluster whose task manager is killed and replaced."""

    def __init__(self, rest, pid_file, log):
        self.url, self.pid_file, self.log, self.started = f"http://127.0.0.1:{rest}", pid_file, log, 0

    def get(self, path):
        try:
            return call(self.url + path)
        except urllib.error.HTTPError as e:
            if e.code in (404, 500, 503):
                return {}
            raise
        except OSError:
            # It is busy; whoever waits asks again.
            return {}

    def jobs(self):
        return {job["id"]: job["status"] for job in self.get("/jobs").get("jobs", [])}

    def check(self):
        """Fails when a job has failed for good, or again and again though its task manager is there."""
        for job, status in self.jobs().items():
            causes = [cause for cause in self.failures(job) if "NoResourceAvailable" not in cause and "no longer reachable" not in cause]
            if status == "FAILED" or len(causes) > MOST_FAILURES:
                raise Stalled(f"job {job} is {status}, and failed: " + "; ".join(collections.Counter(causes)))

    def restarted(self, job):
        """When the job last began to restart, in milliseconds; 0: never."""
        return self.get(f"/jobs/{job}").get("timestamps", {}).get("RESTARTING", 0)

    def failures(self, job):
        """The causes of its restarts, one line each."""
        for entry in self.get(f"/jobs/{job}/exceptions").get("exceptionHistory", {}).get("entries", []):
            lines = entry["stacktrace"].splitlines()
            causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
            yield (causes or lines)[-1][:200]

    def checkpoints(self, job):
        return self.get(f"/jobs/{job}/checkpoints").get("counts", {})

    def under_way(self, job):
        return self.checkpoints(job).get("in_progress", 0) > 0

    def runs(self, job):
        tasks = self.get(f"/jobs/{job}").get("vertices", [])
        return bool(tasks) and all(task["status"] == "RUNNING" for task in tasks)

    def kill_task_manager(self):
        with open(self.pid_file) as file:
            pid = int(file.read())
        os.kill(pid, signal.SIGKILL)
        until("the task manager ends", lambda: not os.path.exists(f"/proc/{pid}") or self.reaped(pid))

    @staticmethod
    def reaped(pid):
        """Whether only its exit code is left of a process, ours or that of the script."""
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] == "Z"
        except FileNotFoundError:
            return True

    def start_task_manager(self):
        self.started += 1
        with open(os.path.join(self.log, f"taskmanager-{self.started}.out"), "w") as out:
            process = subprocess.Popen([os.environ["FLINK_HOME"] + "/bin/taskmanager.sh", "start-foreground"],
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        with open(self.pid_file, "w") as file:
            file.write(str(process.pid))

    def after_fail_over(self, before):
        """Waits until all jobs have restarted, run, and completed a checkpoint."""
        for job, restarted in before.items():
            until("the job restarts", lambda: self.restarted(job) > restarted and self.runs(job), lambda: self.get(f"/jobs/{job}").get("timestamps"), self.check)
            done = self.checkpoints(job).get("completed", 0)
            until("a checkpoint completes", lambda: self.checkpoints(job).get("completed", 0) > done,
                  lambda: self.checkpoints(job), self.check)

    def stop(self, job, folder):
        """Stops a job with a savepoint, so that what it wrote is committed."""
        trigger = call(f"{self.url}/jobs/{job}/stop", {"targetDirectory": folder, "drain": False})["request-id"]

        def ended():
            answer = self.get(f"/jobs/{job}/savepoints/{trigger}")
            return answer if answer.get("status", {}).get("id") == "COMPLETED" else None
        cause = until("the savepoint completes", ended, lambda: self.checkpoints(job), self.check).get("operation", {}).get("failure-cause")
        if cause:
            raise Stalled("the job could not be stopped: " + cause["stack-trace"][:2000])
        until("the job ends", lambda: self.jobs().get(job) == "FINISHED", lambda: self.jobs().get(job))
