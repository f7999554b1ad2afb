# SPDX-License-Identifier: BSD-2-Clause
"""LAMMPS computes how atoms move, in two MPI ranks. The lists of neighbors are built anew each fifth step, to be safe. For this liquid each
twentieth, as in LAMMPS's own benchmark, is enough. What would it bring?
"""
from inputs import case, script

MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 12 0 12 0 12
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every {every} delay 0 check no
fix 1 all nve
run {steps}
"""


def prepare(folder):
    def command(every, steps):
        file = script(folder, f"melt.{every}.{steps}", MELT.format(every=every, steps=steps))
        return ["mpirun", "--allow-run-as-root", "-np", "2", "lmp", "-in", file, "-log", "none", "-screen", "none"]
    return case("LAMMPS, two MPI ranks", "neighbors each 20 steps", command(5, 600), command(20, 600), command(5, 10000000),
                r"Neighbor::build|NPair", None, record_places=r"Neighbor::build", gain_places=r"inclusive:LAMMPS_NS::Neighbor::build", kind="MPI",
                ask=["--target", "inclusive:LAMMPS_NS::Neighbor::build(int)"])
