#!/usr/bin/env python3
"""A sweep that is killed at random ends with the same results as one that is not.

    sweep_kills.py COND SCENE WAY [--entries N] [--kills N] [--seed S] [--limit S] [--log FILE]

WAY is processes, mpi or slurm. First the sweep runs undisturbed on the processes of this machine.
Then it runs in the given way, and so many times, when a random number of entries is there, something
gets kill -9: the process of an entry, what hands out, a part of the machinery, or everything at once.
What ends is started again with --resume. In the end every file of every entry must have the same
bytes, the tables too, and nothing may be left half made.

Exit code 77 says that the way is not installed here.
"""
import argparse
import filecmp
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import slurm_cluster

SWEEP = """scene: scene.yaml
method: latin
samples: {entries}
seed: 3
vary:
  - {{name: friction, path: planes.floor.friction, low: 0.1, high: 0.6}}
  - {{name: mass, path: bodies.box.mass, low: 0.2, high: 5, scale: log}}
set: [step.duration={duration}]
keep: [csv, record, state]
every: 50
table:
  y: bodies.box.position[1]
"""
LIMIT = 170  # seconds that one sweep may take
SKIPPED = 77


class Trial:
    """The folder of a trial, and who works in it."""

    def __init__(self, options):
        self.options = options
        self.tool = os.path.abspath(options.cond)
        self.folder = os.path.abspath(f"kills_{options.way}")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.file = os.path.join(self.folder, "sweep.yaml")
        self.out = os.path.join(self.folder, "killed")
        self.calm = os.path.join(self.folder, "calm")
        self.random = random.Random(options.seed)
        self.start_time = time.monotonic()
        self.lines = []
        shutil.copy(options.scene, os.path.join(self.folder, "scene.yaml"))
        with open(self.file, "w", encoding="utf-8") as out:
            out.write(SWEEP.format(entries=options.entries, duration=options.duration))

    def command(self, *more, out=None):
        limit = ["--limit", str(self.options.limit)] if self.options.limit else []
        return [self.tool, "sweep", self.file, "--out", out or self.out, *limit, *more]

    def done(self):
        """How many entries are there."""
        try:
            return len(os.listdir(os.path.join(self.out, "entries")))
        except FileNotFoundError:
            return 0

    def processes(self, word=None, without=None):
        """Process ids of the tool that work for this folder, with and without a word."""
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as cmdline:
                    words = cmdline.read().decode(errors="replace").split("\0")
            except OSError:
                continue
            if self.out in words and os.path.basename(words[0]) in ("cond", "cond-ranks") \
                    and (word is None or word in words) and (without is None or without not in words):
                found.append(int(entry))
        return sorted(found)

    def say(self, text):
        line = f"{time.monotonic() - self.start_time:7.2f} s  {self.done():4d} entries  {text}"
        self.lines.append(line)
        print(line, flush=True)

    def kill(self, pids, what):
        """kill -9 of processes; what is gone already is gone."""
        killed = []
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
                killed.append(str(pid))
            except ProcessLookupError:
                pass
        if killed:
            self.say(f"kill -9 of {what}: {' '.join(killed)}")
        return len(killed)

    def wait_gone(self):
        for _ in range(200):
            if not self.processes():
                return
            time.sleep(0.05)
        raise RuntimeError(f"processes outlive what started them: {self.processes()}")


class Ways:
    """How a sweep is started, what of it can be killed, and whether it goes on by itself."""

    def __init__(self, trial):
        self.trial = trial
        self.process = None

    def start(self):
        self.process = subprocess.Popen(self.words(), stdout=subprocess.DEVNULL,
                                        stderr=self.log(), stdin=subprocess.DEVNULL,
                                        env=self.environment())

    def log(self):
        return open(os.path.join(self.trial.folder, "messages.txt"), "ab")

    def environment(self):
        return dict(os.environ, OMP_NUM_THREADS="1")

    def words(self):
        return self.trial.command("--resume", "--jobs", "2")

    def running(self):
        return self.process.poll() is None

    def go_on(self):
        """After a kill, or where work is left and nobody does it: start again."""
        if not self.running():
            self.trial.wait_gone()
            self.trial.say("started again with --resume")
            self.start()

    def kinds(self):
        return ["worker", "head", "all"]

    def workers(self):
        return self.trial.processes("--entry")

    def hang(self):
        """Stops the process of an entry, which --limit ends then."""
        some = self.workers()
        if not some:
            return 0
        pid = self.trial.random.choice(some)
        try:
            os.kill(pid, signal.SIGSTOP)
        except ProcessLookupError:
            return 0
        self.trial.say(f"kill -STOP of the process of an entry: {pid}")
        return 1

    def kill(self, kind):
        trial = self.trial
        if kind == "hang":
            return self.hang()
        if kind == "worker":
            some = self.workers()
            return trial.kill(some and [trial.random.choice(some)], "the process of an entry")
        if kind == "head":
            count = trial.kill([self.process.pid], "the head")
        else:
            count = trial.kill([self.process.pid, *trial.processes()], "everything")
        self.process.wait()
        return count

    def end(self):
        if self.process and self.running():
            self.process.wait(timeout=LIMIT)


class Mpi(Ways):
    """Rank 0 hands out; mpirun ends all ranks with one that dies."""

    def environment(self):
        return dict(super().environment(), OMPI_ALLOW_RUN_AS_ROOT="1",
                    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl="self,vader,tcp",
                    OMPI_MCA_btl_tcp_if_include="lo", OMPI_MCA_oob_tcp_if_include="lo",
                    OMPI_MCA_plm="isolated")

    def words(self):
        return ["mpirun", "--oversubscribe", "-n", "3", *self.trial.command("--resume")]

    def kinds(self):
        return ["worker", "head", "all", "rank", "mpirun"]

    def ranks(self):
        found = {}
        for pid in self.trial.processes(without="--entry"):
            try:
                with open(f"/proc/{pid}/environ", "rb") as environ:
                    for word in environ.read().split(b"\0"):
                        if word.startswith(b"OMPI_COMM_WORLD_RANK="):
                            found[int(word.split(b"=")[1])] = pid
            except OSError:
                continue
        return found

    def kill(self, kind):
        trial, ranks = self.trial, self.ranks()
        if kind in ("worker", "hang"):
            return super().kill(kind)
        if kind == "head":
            count = trial.kill([ranks[0]] if 0 in ranks else [], "rank 0, which hands out")
        elif kind == "rank":
            others = [pid for rank, pid in ranks.items() if rank > 0]
            count = trial.kill(others and [trial.random.choice(others)], "a rank that works")
        elif kind == "mpirun":
            count = trial.kill([self.process.pid], "mpirun")
        else:
            count = trial.kill([self.process.pid, *trial.processes()], "everything")
        if count:
            self.process.wait(timeout=60)
        return count


class Slurm(Ways):
    """A job array; what a kill leaves undone is submitted again."""

    def __init__(self, trial):
        super().__init__(trial)
        self.cluster = slurm_cluster.Cluster(os.path.join(trial.folder, "slurm"))
        self.cluster.start()
        self.script = os.path.join(trial.folder, "job.sh")
        self.seen = time.monotonic()  # when something ran last

    def go_on(self):
        """Jobs that Slurm holds back although nothing runs are cancelled: a slurmctld that was killed
        may wait for minutes for what its nodes have forgotten."""
        if self.trial.processes():
            self.seen = time.monotonic()
        elif time.monotonic() > self.seen + 20.0:
            self.cluster.clear()
            self.seen = time.monotonic()
        super().go_on()

    def start(self):
        tasks = str(max(10, self.trial.options.entries // 5))
        subprocess.run(self.trial.command("--resume", "--array", tasks, "--slurm", self.script),
                       check=True, stdout=subprocess.DEVNULL, stderr=self.log())
        job = self.cluster.submit(self.script)
        self.trial.say(f"job array {job} submitted")

    def running(self):
        return bool(self.cluster.ask("squeue", "-h").strip()) or bool(self.trial.processes())

    def kinds(self):
        return ["worker", "task", "head", "node", "all"]

    def kill(self, kind):
        trial, cluster = self.trial, self.cluster
        if kind in ("worker", "hang"):
            return super().kill(kind)
        if kind == "task":
            some = trial.processes("--task")
            return trial.kill(some and [trial.random.choice(some)], "a task of the array")
        if kind == "head":
            trial.say(f"kill -9 of slurmctld: {cluster.kill('control')}")
        elif kind == "node":
            trial.say(f"kill -9 of a slurmd: {cluster.kill(trial.random.choice(slurm_cluster.NODES))}")
        else:
            pids = [cluster.kill(name) for name in ("control", *slurm_cluster.NODES)]
            trial.say(f"kill -9 of slurmctld and both slurmd: {' '.join(map(str, pids))}")
            trial.kill([*cluster.steps(), *trial.processes()], "steps, tasks and entries")
        cluster.start()
        trial.say("Slurm's daemons started again")
        cluster.clear()  # else it holds back for minutes what it tries once more
        return 1

    def end(self):
        self.cluster.stop()


def finish(trial, way):
    """Runs to the end, starting what ended early again."""
    end = time.monotonic() + LIMIT
    while trial.done() < trial.options.entries or way.running():
        if time.monotonic() > end:
            raise RuntimeError(f"not finished after {LIMIT} s")
        if trial.done() < trial.options.entries:
            way.go_on()
        time.sleep(0.1)


def choose_kinds(trial, way):
    """Every kind at least once where there are enough kills, in any order."""
    kinds = way.kinds()[:]
    trial.random.shuffle(kinds)
    while len(kinds) < trial.options.kills:
        kinds.append(trial.random.choice(way.kinds()))
    return kinds[:trial.options.kills] + (["hang"] if trial.options.limit else [])


def wait_and_kill(trial, way, kind, place):
    """Kills when so many entries are there; False: the sweep was through before."""
    end = time.monotonic() + LIMIT
    while trial.done() < trial.options.entries:
        if time.monotonic() > end:
            raise RuntimeError(f"not finished after {LIMIT} s")
        if trial.done() >= place and way.workers():
            time.sleep(0.05 * trial.random.random())
            if way.kill(kind):
                return True
        way.go_on()
        time.sleep(0.005)
    return False


def disturb(trial, way):
    """Kills when a random number of entries is there. Where the sweep is faster than the kills, another
    one is begun for those that are left. The differences that were found."""
    kinds, wrong = choose_kinds(trial, way), []
    while kinds and not wrong:
        places = sorted(trial.random.randrange(1, 1 + trial.options.entries * 3 // 4) for _ in kinds)
        way.start()
        while kinds and wait_and_kill(trial, way, kinds[0], places[len(places) - len(kinds)]):
            kinds.pop(0)
            way.go_on()
        finish(trial, way)
        wrong = compare(trial)
        if kinds:
            trial.say("through before the next kill; begun anew")
            shutil.rmtree(trial.out)
    return wrong


def compare(trial):
    """Differences between the two folders, as text."""
    calm, wrong = trial.calm, []
    subprocess.run(trial.command("--resume", "--quiet"), check=True, timeout=LIMIT)  # the table
    if sorted(os.listdir(f"{calm}/entries")) != sorted(os.listdir(f"{trial.out}/entries")):
        wrong.append("not the same entries")
    for entry in sorted(os.listdir(f"{calm}/entries")):
        one, other = f"{calm}/entries/{entry}", f"{trial.out}/entries/{entry}"
        names = sorted(os.listdir(one))
        if not os.path.isdir(other) or names != sorted(os.listdir(other)):
            wrong.append(f"entry {entry}: not the same files")
            continue
        _, differ, odd = filecmp.cmpfiles(one, other, names, shallow=False)
        wrong += [f"entry {entry}: {name} differs" for name in differ + odd]
    if not filecmp.cmp(f"{calm}/table.csv", f"{trial.out}/table.csv", shallow=False):
        wrong.append("the tables differ")
    if os.listdir(f"{trial.out}/part") or os.listdir(f"{trial.out}/failed"):
        wrong.append("something is left half made")
    return wrong


def missing(way, tool):
    if way == "mpi" and not (shutil.which("mpirun")
                             and os.path.exists(os.path.join(os.path.dirname(tool), "cond-ranks"))):
        return "mpirun or cond-ranks"
    return slurm_cluster.missing() if way == "slurm" else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("cond")
    parser.add_argument("scene")
    parser.add_argument("way", choices=["processes", "mpi", "slurm"])
    parser.add_argument("--entries", type=int, default=200)
    parser.add_argument("--duration", type=float, default=20.0, help="of a run, in s of its scene")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, help="seconds of an entry; one hangs in the end")
    parser.add_argument("--log")
    options = parser.parse_args()
    absent = missing(options.way, os.path.abspath(options.cond))
    if absent:
        print(f"skipped: {absent} is not installed")
        return SKIPPED
    trial = Trial(options)
    subprocess.run(trial.command("--quiet", out=trial.calm), check=True, timeout=LIMIT)
    way = {"processes": Ways, "mpi": Mpi, "slurm": Slurm}[options.way](trial)
    trial.say(f"{options.way}: {options.entries} entries, {options.kills} kills, seed {options.seed}")
    try:
        wrong = disturb(trial, way)
    finally:
        way.end()
    trial.say("all bytes are those of the undisturbed sweep" if not wrong else "; ".join(wrong[:5]))
    if options.log:
        with open(options.log, "a", encoding="utf-8") as log:
            log.write("\n".join(trial.lines) + "\n\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
