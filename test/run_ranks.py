#!/usr/bin/env python3
"""Environments over MPI: the same bits for every number of ranks.

    run_ranks.py COND EXAMPLE SCENE

`cond bench env` must give the same hashes on 1, 2 and 3 ranks, and the example the same lines. A tool
without its program for ranks must say what is missing. Exit code 77: mpirun is not installed.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl="self,vader,tcp",
                   OMPI_MCA_btl_tcp_if_include="lo", OMPI_MCA_oob_tcp_if_include="lo",
                   OMPI_MCA_plm="isolated")


def run(command, ranks, code=0):
    """What a command prints on so many ranks; 0: without mpirun."""
    start = ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks else []
    done = subprocess.run(start + command, env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=120, check=False)
    if done.returncode != code:
        sys.exit(f"{' '.join(start + command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout if code == 0 else done.stderr


def main():
    tool, example, scene = sys.argv[1:4]
    if not shutil.which("mpirun"):
        print("skipped: mpirun is not installed")
        return SKIPPED
    hashes, lines = [], []
    for ranks in (0, 2, 3):
        text = run([tool, "bench", "env", "--quick", "--threads", "1", "--json", "-"], ranks)
        hashes.append([row["hash"] for row in json.loads(text)["rows"]])
    for ranks in (1, 2, 4):
        lines.append(run([example, scene], ranks))
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/bin")
        alone = shutil.copy(tool, f"{folder}/bin/cond")
        said = run([alone, "sweep", "none.yaml", "--mpi"], 0, code=2)
    assert "libopenmpi-dev" in said, said
    assert len(hashes[0]) == 3 and hashes[0] == hashes[1] == hashes[2], hashes
    assert lines[0].count("\n") == 3 and lines[0] == lines[1] == lines[2], lines
    print(lines[0], end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
