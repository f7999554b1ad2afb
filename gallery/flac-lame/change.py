# SPDX-License-Identifier: BSD-2-Clause
"""A record is encoded for a telephone: `flac -dc | lame`. flac decodes on the other core: would WAV files help, or a faster decoder?
"""
import math
import os
import random
import struct
import subprocess
import wave

from inputs import case, sh

RATE, SECONDS = 44100, 60


def sound(path):
    """Chords and noise, so that neither program has an easy time."""
    draw = random.Random(1)
    tones = [(draw.uniform(80, 4000), draw.uniform(0, 6)) for _ in range(6)]
    second = [[sum(math.sin(2 * math.pi * pitch * i / RATE + phase + side) for pitch, phase in tones) for side in (0, 1)] for i in range(RATE)]
    with wave.open(path, "wb") as file:
        file.setparams((2, 2, RATE, 0, "NONE", ""))
        for turn in range(SECONDS):
            loud = 2000 + 300 * (turn % 7)
            file.writeframes(b"".join(struct.pack("<hh", *(int(loud * part + draw.uniform(-900, 900)) for part in both)) for both in second))


def prepare(folder):
    plain = os.path.join(folder, "sound.wav")
    sound(plain)
    subprocess.run(["flac", "-s", "-8", plain], check=True)
    encode = "lame --quiet --preset medium - /dev/null"
    packed = os.path.join(folder, "sound.flac")
    return case("flac -dc \\| lame", "`cat` of the WAV file", sh(f'flac -s -dc "$1" | {encode}', packed), sh(f'cat "$1" | {encode}', plain),
                sh(f'while :; do flac -s -dc "$1" | {encode}; done', packed), r"all of flac\b|process:flac\b", kind="null", ask=["--target", "process:flac"])
