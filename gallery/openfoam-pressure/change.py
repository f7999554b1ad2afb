# SPDX-License-Identifier: BSD-2-Clause
"""OpenFOAM's tutorial of a cavity in which a lid drives the flow, finer than it comes (100 by 100 cells), in two MPI ranks. Each step solves for the
pressure twice by conjugate gradients, the second time, as the tutorial has it, to an absolute tolerance. What would a relative one save?
"""
import os
import shutil
import subprocess

from inputs import case, sh

CAVITY = "/usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity"
PARTS = """FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }
numberOfSubdomains 2;
method simple;
simpleCoeffs { n (2 1 1); delta 0.001; }
"""
UNIT = "Foam::fvMatrix<double>::solveSegregated(Foam::dictionary const&)"  # which the plain command names
ENVIRONMENT = ["env", "WM_PROJECT_DIR=/usr/share/openfoam"]


def replace(path, words):
    with open(path, encoding="ascii") as file:
        text = file.read()
    for old, new in words.items():
        if old not in text:
            raise ValueError(f"{path} has no {old}")
        text = text.replace(old, new)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def prepare(folder):
    first, second = os.path.join(folder, "absolute"), os.path.join(folder, "relative")
    shutil.copytree(CAVITY, first)
    replace(os.path.join(first, "system", "blockMeshDict"), {"(20 20 1)": "(100 100 1)"})
    replace(os.path.join(first, "system", "controlDict"),
            {"endTime         0.5": "endTime 0.005", "deltaT          0.005": "deltaT 0.0005", "writeInterval   20": "writeInterval 1000000"})
    with open(os.path.join(first, "system", "decomposeParDict"), "w", encoding="ascii") as file:
        file.write(PARTS)
    for program in ("blockMesh", "decomposePar"):
        subprocess.run([*ENVIRONMENT, program, "-case", first], check=True, stdout=subprocess.DEVNULL)
    shutil.copytree(first, second)
    replace(os.path.join(second, "system", "fvSolution"), {"$p;\n        relTol          0;": "$p;\n        relTol 0.05;"})

    def command(where):
        return [*ENVIRONMENT, "mpirun", "--allow-run-as-root", "-np", "2", "icoFoam", "-parallel", "-case", where]
    return case("OpenFOAM, two MPI ranks", "`relTol 0.05` in `pFinal`", command(first), command(second), sh('while :; do "$@" >/dev/null; done', *command(first)),
                r"PCG::solve", None, kind="MPI", ask=["--target", "inclusive:Foam::PCG::solve*", "--speedups", "0,50", "--progress", UNIT], ask_seconds=100)
