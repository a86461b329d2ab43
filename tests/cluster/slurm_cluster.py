#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Slurm cluster of two nodes on this machine, on loopback only, as long as a command runs:

    slurm_cluster.py COMMAND [ARGUMENT ...]      # SLURM_CONF says where it is

Everything that was started is ended with it, whatever happens. Needs slurm-wlm; no munge, no systemd.
"""
import contextlib
import ctypes
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LIBC = ctypes.CDLL(None)

CONFIGURATION = """\
ClusterName=t
SlurmctldHost={host}(127.0.0.1)
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/c.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/c.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
JobAcctGatherType=jobacct_gather/linux
ReturnToService=2
SlurmdTimeout=5
MpiDefault=none
PropagatePrioProcess=1
SlurmdParameters=config_overrides
MaxArraySize={max_array_size}
{nodes}
PartitionName=p Nodes={names} Default=YES MaxTime=INFINITE State=UP
"""


def adopt_orphans():
    """Descendants whose parents have ended become children of this process, so that none gets away."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def parents():
    """Process -> parent, of all that there are."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                found[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    return found


def descendants(of):
    of_all, found = parents(), {of}
    while True:
        more = {process for process, parent in of_all.items() if parent in found} - found
        if not more:
            return found - {of}
        found |= more


def end_descendants(seconds=10):
    until = time.monotonic() + seconds
    while (left := descendants(os.getpid())) and time.monotonic() < until:
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.02)
    if left:
        raise RuntimeError(f"processes do not end: {left}")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class SlurmCluster:
    """Use with `with`; needs adopt_orphans() before."""

    def __init__(self, nodes=("n1", "n2"), cpus=4, max_array_size=1001):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="wafertlm-slurm-"))
        self.nodes, self.cpus, self.max_array_size = nodes, cpus, max_array_size
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))
        self.daemons = {}

    def __enter__(self):
        try:
            self.configure()
            self.start("controller", ["slurmctld", "-c", "-D"])
            for node in self.nodes:
                self.start_node(node)
            self.wait_for(lambda: self.states() == dict.fromkeys(self.nodes, "idle"), "idle nodes")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        end_descendants()
        shutil.rmtree(self.folder, ignore_errors=True)

    def configure(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        host = socket.gethostname().split(".")[0]
        ports = free_ports(1 + len(self.nodes))
        lines = [f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={self.cpus} RealMemory=2000"
                 for node, port in zip(self.nodes, ports[1:])]
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=host, user=getpass.getuser(), port=ports[0], folder=self.folder, nodes="\n".join(lines),
            names=",".join(self.nodes), max_array_size=self.max_array_size))

    def start(self, name, words):
        program = shutil.which(words[0], path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        with open(self.folder / f"{name}.out", "w") as output:
            self.daemons[name] = subprocess.Popen(
                [program, *words[1:]], env=self.environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=end_with_parent)

    def start_node(self, node):
        self.start(node, ["slurmd", "-D", "-N", node])

    def kill_node(self, node):
        """The daemon, its steps and what they run."""
        mine = {self.daemons[node].pid} | {process for process in descendants(os.getpid())
                                           if f"SLURMD_NODENAME={node}" in environment_of(process)}
        for step in steps():
            if descendants(step) & mine:
                mine |= {step} | descendants(step)
        for process in mine:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.daemons[node].wait()
        return mine

    def ask(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False).stdout

    def states(self):
        return dict(line.split() for line in self.ask("sinfo", "-h", "-N", "-o", "%N %T").splitlines())

    def wait_for(self, is_so, what, seconds=600):
        until = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > until:
                raise RuntimeError(f"no {what} after {seconds} s: {self.states()}\n{self.logs()}")
            time.sleep(0.05)

    def logs(self):
        return "\n".join(f"--- {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-20:])
                         for log in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out")))


def environment_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def command_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def steps():
    return [process for process in descendants(os.getpid()) if "slurmstepd" in command_of(process)]


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    adopt_orphans()
    with SlurmCluster() as cluster:
        return subprocess.run(sys.argv[1:], env=cluster.environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
