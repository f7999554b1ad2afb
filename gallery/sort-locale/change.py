# SPDX-License-Identifier: BSD-2-Clause
"""Lines are sorted by `sort` in the locale of the user, en_US.UTF-8: each comparison goes through the rules of the language. Where any fixed
order will do, bytes can be compared.
"""
import os
import subprocess

from inputs import again_and_again, case, text_file


def prepare(folder):
    plain = text_file(folder, "lines", 60000, 2)
    locale = os.path.join(folder, "en_US.UTF-8")
    subprocess.run(["localedef", "--no-archive", "-i", "en_US", "-f", "UTF-8", locale], check=True)

    def command(language, count):
        return ["env", "LOCPATH=" + folder, "LC_ALL=" + language, "sort", "-S", "500M", "-o", "/dev/null", *[plain] * count]
    return case("sort, en_US.UTF-8", "`LC_ALL=C`", command("en_US.UTF-8", 3), command("C", 3), again_and_again(*command("en_US.UTF-8", 3)), r"strcoll|xmemcoll", None,
                record_places=r"strcoll|memcoll", kind="CPU", ask=["--target", "strcoll_l"])
