# SPDX-License-Identifier: BSD-2-Clause
"""Perl sorts the lines of a text without regard to case: `sort { lc($a) cmp lc($b) }` calls Perl code for each comparison. How much would a plain
`sort` save?
"""
from inputs import again_and_again, case, text_file


def prepare(folder):
    text = text_file(folder, "text", 40000)

    def command(order):
        return ["perl", "-ne", f"push @lines, $_; $words += split; END {{ print sort {order} @lines; print $words }}", text]
    quiet = ["sh", "-c", '"$@" >/dev/null', "sh"]
    before = [*quiet, *command("{ lc($a) cmp lc($b) }")]
    return case("Perl, sort without case", "`sort` without a block", before, [*quiet, *command("")], again_and_again(*before), r"pp_sort", None,
                gain_places=r"inclusive:Perl_pp_sort\b", kind="CPU", ask=["--target", "inclusive:Perl_pp_sort"])
