# SPDX-License-Identifier: BSD-2-Clause
"""SQLite's shell reads a file of INSERT statements. Each is a transaction of its own, and waits until the disk has it."""
import os

from inputs import case, script


def prepare(folder):
    def inserts(name, setting, count):
        return script(folder, name, f"pragma journal_mode = persist;\npragma synchronous = {setting};\ndrop table if exists t;\ncreate table t(a integer primary key, b text);\n" +
                      "".join(f"insert into t values({i}, 'row {i * i}');\n" for i in range(count)))
    command = ["sqlite3", os.path.join(folder, "db")]
    return case("sqlite3, a transaction for each INSERT", "`pragma synchronous = off`", [*command, ".read " + inserts("before.sql", "full", 400)],
                [*command, ".read " + inserts("after.sql", "off", 400)], [*command, ".read " + inserts("long.sql", "full", 40000)],
                r"syscall:(fdatasync|fsync)", kind="waiting")
