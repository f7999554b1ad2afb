# SPDX-License-Identifier: BSD-2-Clause
"""`rsync -z` copies photos to another folder of the same machine: one process packs, and another one unpacks."""
import os

from inputs import again_and_again, case, sh


def prepare(folder):
    photos = os.path.join(folder, "photos")
    os.mkdir(photos)
    for i in range(40):
        with open(os.path.join(photos, f"photo{i}.raw"), "wb") as file:
            file.write(os.urandom(1000000))

    def command(*words):
        return sh('rm -rf copy; rsync -a "$@" photos copy', *words)
    packed = command("-z", "--compress-choice=zlib")
    return case("rsync -z, photos", "without `-z`", packed, command(), again_and_again(*packed), r"deflate|inflate", None, record_places=r"deflate|inflate",
                gain_places=r"inclusive:deflate \+", kind="set", ask=["--target", "inclusive:deflate", "--with", "inclusive:inflate"])
