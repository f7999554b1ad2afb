# SPDX-License-Identifier: BSD-2-Clause
"""A Java program cleans lines of blanks by `replaceAll`, which compiles its pattern for each line, and makes a checksum of them. Apache's commons-lang has
`normalizeSpace` for it. A run lasts for seconds, so that most of the time is spent in compiled code, as in the profile.
"""
import os
import subprocess

from inputs import case

HERE = os.path.dirname(os.path.abspath(__file__))
AGENT = os.path.abspath(os.path.join(HERE, "..", "..", "build", "src", "runtime", "liblever-java.so"))
JAR = "/usr/share/java/commons-lang3.jar"  # Debian's libcommons-lang3-java


def prepare(folder):
    path = f"{folder}:{JAR}"
    subprocess.run(["javac", "-cp", path, "-d", folder, os.path.join(HERE, "Lines.java")], check=True)

    def command(turns, way):
        return ["java", "-agentpath:" + AGENT, "-XX:+PreserveFramePointer", "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Lines::*",
                "-cp", path, "Lines", str(turns), way]
    return case("Java, replaceAll", "`StringUtils.normalizeSpace`", command(1500000, "pattern"), command(1500000, "library"), command(100000000, "pattern"),
                r"Lines\.clean|replaceAll", None, record_places=r"Lines\.clean", gain_places=r"inclusive:Lines\.clean", kind="CPU", ask=["--target", "inclusive:Lines.clean"])
