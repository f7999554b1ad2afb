# SPDX-License-Identifier: BSD-2-Clause
"""A Java program turns answers into JSON by Jackson, and signs them. It makes an `ObjectMapper` for each answer, as many programs do: the mapper
examines the class anew each time.
"""
import os
import subprocess

from inputs import case

HERE = os.path.dirname(os.path.abspath(__file__))
AGENT = os.path.abspath(os.path.join(HERE, "..", "..", "build", "src", "runtime", "liblever-java.so"))
JARS = [f"/usr/share/java/jackson-{part}.jar" for part in ("core", "annotations", "databind")]  # Debian's libjackson2-databind-java


def prepare(folder):
    path = ":".join([folder, *JARS])
    subprocess.run(["javac", "-cp", path, "-d", folder, os.path.join(HERE, "Requests.java")], check=True)

    def command(turns, mapper):
        return ["java", "-agentpath:" + AGENT, "-XX:+PreserveFramePointer", "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Requests::*",
                "-cp", path, "Requests", str(turns), mapper]
    return case("Java, Jackson", "one `ObjectMapper` for all", command(30000, "new"), command(30000, "shared"), command(10000000, "new"),
                r"Requests\.toJson|fasterxml", None, record_places=r"Requests\.toJson", gain_places=r"inclusive:Requests\.toJson", kind="CPU",
                ask=["--target", "inclusive:Requests.toJson"])
