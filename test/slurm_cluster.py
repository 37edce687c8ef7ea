"""A Slurm cluster on this machine, for tests: slurmctld and two slurmd, with a configuration of their
own in a folder of their own, without munge and without services of the system, on the loopback alone.
"""
import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time

NODES = ("n1", "n2")
CONFIG = """ClusterName=cond
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
StateSaveLocation={folder}/control
SlurmctldPidFile={folder}/control/pid
SlurmctldLogFile={folder}/control/log
SlurmdPidFile={folder}/%n/pid
SlurmdLogFile={folder}/%n/log
SlurmdSpoolDir={folder}/%n
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_interval=1
MinJobAge=10
KillWait=1
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={port1} CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port={port2} CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """The first program of Slurm that is not installed, or None."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    for name in ("slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo"):
        if not shutil.which(name, path=path):
            return name
    return None


def free_ports(count):
    """Ports of the loopback that nobody listens on."""
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def end_with_parent():
    """In a new process: it ends with the one that started it (PR_SET_PDEATHSIG), however that ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Cluster:
    """Daemons that this object started, by their process ids; it ends them and no others."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.daemon = {}
        ports = free_ports(3)
        for name in ("control", *NODES):
            os.makedirs(os.path.join(self.folder, name), exist_ok=True)
        config = os.path.join(self.folder, "slurm.conf")
        with open(config, "w", encoding="utf-8") as out:
            out.write(CONFIG.format(folder=self.folder, port=ports[0], port1=ports[1],
                                    port2=ports[2], user=pwd.getpwuid(os.getuid()).pw_name))
        self.environment = dict(os.environ, SLURM_CONF=config,
                                PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")

    def start(self):
        """Starts the daemons that do not run, and waits for the nodes."""
        commands = {"control": ["slurmctld", "-D"]}
        commands.update({name: ["slurmd", "-D", "-N", name] for name in NODES})
        for name, command in commands.items():
            if name in self.daemon and self.daemon[name].poll() is None:
                continue
            log = open(os.path.join(self.folder, name, "out"), "ab")  # the daemon keeps it
            self.daemon[name] = subprocess.Popen(command, env=self.environment, stdout=log,
                                                 stderr=log, stdin=subprocess.DEVNULL,
                                                 preexec_fn=end_with_parent)
            log.close()
        for _ in range(300):
            if any(state in ("idle", "mix", "alloc") for state in self.ask(
                    "sinfo", "-h", "-N", "-o", "%t").split()):
                return
            time.sleep(0.2)
        raise RuntimeError("the nodes of Slurm do not come up: " + self.ask("sinfo", "-l"))

    def clear(self):
        """Cancels all jobs, and takes nodes back that Slurm does not trust any more: a slurmctld that
        was killed may remember less than its nodes do."""
        for _ in range(100):
            self.ask("scancel", "--me")
            self.ask("scontrol", "update", "NodeName=" + ",".join(NODES), "State=RESUME")
            if not self.ask("squeue", "-h").strip() and not self.steps():
                return
            time.sleep(0.3)

    def ask(self, *command):
        """What a command of Slurm prints; nothing where it fails."""
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=60, check=False)
        return done.stdout

    def submit(self, script):
        """The number of the job."""
        for _ in range(50):
            words = self.ask("sbatch", "--parsable", script).split(";")
            if words[0].strip():
                return words[0].strip()
            time.sleep(0.2)
        raise RuntimeError("sbatch refuses " + script)

    def kill(self, name):
        """kill -9 of one daemon; its process id."""
        process = self.daemon[name]
        process.kill()
        process.wait()
        return process.pid

    def steps(self):
        """Process ids of the daemons that watch over jobs, which outlive a slurmd."""
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/comm", encoding="utf-8") as comm:
                    if not comm.read().startswith("slurmstepd"):
                        continue
                with open(f"/proc/{entry}/environ", "rb") as environ:
                    if self.environment["SLURM_CONF"].encode() in environ.read():
                        found.append(int(entry))
            except OSError:
                continue
        return found

    def stop(self):
        """Ends jobs and daemons."""
        if any(process.poll() is None for process in self.daemon.values()):
            self.ask("scancel", "--state=RUNNING,PENDING", "--me")
        for process in self.daemon.values():
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.daemon.values():
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for pid in self.steps():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
