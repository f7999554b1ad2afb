#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""command_line - commands, options and exit codes that need no profile and no rights."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from check import LEVER, Skip, check, equal, lever, main, test


@test("without a command, the overview goes to stderr and the exit code is 2")
def _():
    result = lever()
    equal(result.returncode, 2)
    equal(result.stdout, "")
    check("Commands:" in result.stderr, result.stderr)


@test("help goes to stdout and lists every command")
def _():
    result = lever("--help")
    equal((result.returncode, result.stderr), (0, ""))
    for command in ("run", "record", "trace", "report", "diff", "history", "check"):
        check(f"\n  {command} " in result.stdout, command)


@test("lever help COMMAND and lever COMMAND --help print the same")
def _():
    for command in ("run", "record", "trace", "report", "check", "help", "version"):
        asked, told = lever("help", command), lever(command, "--help")
        equal((asked.returncode, told.returncode), (0, 0), command)
        equal(asked.stdout, told.stdout)
        check(told.stdout.startswith(f"Usage: lever {command}"), told.stdout)
        check(all(len(line) <= 80 for line in told.stdout.splitlines()), told.stdout)


@test("lever help TOPIC prints the page, a mistyped one names the nearest")
def _():
    page = lever("help", "sets")
    equal((page.returncode, page.stderr), (0, ""))
    check(page.stdout.startswith("SETS OF TARGETS\n"), page.stdout[:80])
    prose = [line for line in page.stdout.splitlines() if not line.startswith("    ")]
    check(all(len(line) <= 80 for line in prose), max(prose, key=len))
    check("](" not in page.stdout and "**" not in page.stdout, "Markdown is left over")
    topics = lever("help").stdout.split("Topics (lever help TOPIC):\n")[1].split("\n\n")[0].split()
    check(len(topics) > 10, topics)
    for topic in topics:
        equal(lever("help", topic).returncode, 0, topic)
    mistyped = lever("help", "servrs")
    equal((mistyped.returncode, mistyped.stdout), (2, ""))
    check("did you mean 'servers'?" in mistyped.stderr, mistyped.stderr)


@test("version, --version and -V print the same")
def _():
    lines = {lever(word).stdout for word in ("version", "--version", "-V")}
    equal(len(lines), 1)
    check(lines.pop().startswith("lever 0."), "")


@test("lever record needs a program, or a choice of running processes")
def _():
    for words, why in (((), "no program to run"), (("--pid", "1", "--", "true"), "exclude each other"),
                       (("--pid", "1", "--system"), "exclude each other"), (("--comm", "x", "--", "true"), "--comm exclude"),
                       (("--no-children", "--", "true"), "needs --pid or --port"), (("--port", "http"), "not a port"), (("--system", "--comm", "x"), "--comm alone"), (("--pid", "x"), "process id"),
                       (("--period", "1us", "--", "true"), "50us"), (("--call-graph", "lbr", "--", "true"), "dwarf, fp or none"),
                       (("--quiet", "--live", "--", "true"), "exclude each other")):
        result = lever("record", *words)
        equal((result.returncode, result.stdout), (2, ""), words)
        check(why in result.stderr, result.stderr)


@test("lever scale says why it takes no running processes")
def _():
    for option in ("--pid", "--port", "--comm", "--cgroup"):
        said = lever("scale", option, "1")
        equal(said.returncode, 2)
        check(f"lever scale has no {option}: it compares whole runs" in said.stderr, said.stderr)


@test("lever scale needs a program, and valid numbers of cores")
def _():
    for words, why in (((), "no program to run"), (("--cores", "1,x", "--", "true"), "number of cores"), (("--cores", "0", "--", "true"), "number of cores"),
                       (("--on", "0", "--", "true"), "needs a core"), (("--on", "9999", "--", "true"), "not 9999"), (("--runs", "0", "true"), "--runs"),
                       (("--quiet", "--verbose", "true"), "exclude each other")):
        result = lever("scale", *words)
        equal((result.returncode, result.stdout), (2, ""), words)
        check(why in result.stderr, result.stderr)
    equal(lever("scale", "--", "/no/such/program").returncode, 127)
    equal(lever("scale", "--", "/etc").returncode, 126)


@test("wrong values of --class, --by and --tree are wrong usage")
def _():
    for words, why in ((("--class", "X"), "cpu, I, L, S or B"), (("--by", "moon"), "function"), (("--tree", "up"), "callers")):
        result = lever("report", *words)
        equal((result.returncode, result.stdout), (2, ""), words)
        check(why in result.stderr, result.stderr)


@test("a mistyped command or option is wrong usage, and the nearest one is named")
def _():
    for words, nearest in ((("reprot",), "'report'"), (("run", "--progess", "x", "true"), "--progress"),
                           (("report", "--fromat", "json"), "--format")):
        result = lever(*words)
        equal((result.returncode, result.stdout), (2, ""))
        check(nearest in result.stderr, result.stderr)


@test("wrong values exit with 2 and one line")
def _():
    for words in (("run", "--speedups", "0,200", "true"), ("run", "--period", "5", "true"),
                  ("run", "--runs", "3", "true"), ("run",), ("report", "a", "b"), ("check", "x"),
                  ("report", "--format", "pdf"), ("run", "--engine", "steam", "true"),
                  ("run", "--roadmap", "4", "true"), ("run", "--roadmap", "2", "--target", "f", "true"), ("run", "--roadmap", "2", "--pid", "1")):
        result = lever(*words)
        equal((result.returncode, result.stdout), (2, ""), words)
        equal(len(result.stderr.splitlines()), 1, words)
        check(result.stderr.startswith("lever: "), result.stderr)


@test("report of a missing file, of no profile or of a folder exits with 1 and one line")
def _():
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text.lever")
        with open(text, "w", encoding="utf-8") as file:
            file.write("this is not a profile\n" * 100)
        for path in (os.path.join(folder, "missing.lever"), text, folder, "/dev/null"):
            result = lever("report", path)
            equal((result.returncode, result.stdout), (1, ""), path)
            check(path in result.stderr and result.stderr.startswith("lever: "), result.stderr)


@test("check names both engines, and its exit code says whether the kernel engine works")
def _():
    result = lever("check")
    works = "kernel engine:  works here" in result.stdout
    equal(result.returncode, 0 if works else 1)
    check("runtime engine: works here" in result.stdout, result.stdout)
    equal("\nmissing " in "\n" + result.stdout, not works, result.stdout)
    # One of the mapped files is lever itself.
    check(re.search(r"^ok +names +code of [1-9]\d* mapped files ", result.stdout, re.M), result.stdout)


@test("a full disk is a failure")
def _():
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run([LEVER, "help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    equal(result.returncode, 1)
    check("standard output" in result.stderr, result.stderr)


@test("a program that cannot be started exits with 127 or 126, and leaves no profile")
def _():
    if lever("check").returncode:
        raise Skip("the kernel engine does not work here (lever check)")
    with tempfile.TemporaryDirectory() as folder:
        plain, output = os.path.join(folder, "plain"), os.path.join(folder, "out.lever")
        with open(plain, "w", encoding="utf-8"):
            pass
        for program, code in ((os.path.join(folder, "none"), 127), ("no-such-program-anywhere", 127),
                              (plain, 126), (folder, 126)):
            result = lever("run", "-o", output, "--", program)
            equal((result.returncode, result.stdout), (code, ""), program)
            check(program in result.stderr, result.stderr)
            check(not os.path.exists(output), program)


@test("without rights, run names them and exits with 1")
def _():
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        raise Skip("root, and no setpriv to become somebody else")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "lever")
        shutil.copy(LEVER, program)
        os.chmod(folder, 0o755)
        other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        words = [program, "run", "--engine", "kernel", "-o", "/tmp/lever-test-no-rights.lever", "--", "true"]
        result = subprocess.run((other if os.geteuid() == 0 else []) + words, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        equal((result.returncode, result.stdout), (1, ""), result.stderr)
        check("root" in result.stderr and "CAP_BPF" in result.stderr, result.stderr)


SOURCE = pathlib.Path(__file__).resolve().parents[2]
SHELLS = {
    "bash": """source completion/lever.bash; COMP_WORDS=(@program @words); COMP_CWORD=@last
        _lever; printf '%s\\n' "${COMPREPLY[@]}" """,
    "zsh": """_describe() { print -l -- "${(@)${(P)4}%%:*}" }; _files() { : }; _command_names() { : }
        words=(@program @words); CURRENT=@last+1; source completion/_lever""",
    "fish": "source completion/lever.fish; complete -C 'lever @line' | cut -f 1",
    "fish, within a line": """source completion/lever.fish; set words @program @words
        function commandline; switch "$argv"
            case -opc; string join \\n -- $words[1..@last]
            case -ct; echo -- $words[(math @last + 1)]
            case -op; string join \\n -- (string match -v '' -- $words)
        end; end
        __lever_complete | cut -f 1""",
}


def complete(line, shell="bash", folder=None, behind=""):
    """The candidates that a shell offers for the last word of this line; without files."""
    words = line.split(" ")[1:]
    last, words = len(words), words + behind.split()
    within = ", within a line" if behind and shell == "fish" else ""
    script = SHELLS[shell + within].replace("completion/", f"{SOURCE}/completion/")
    for name, text in (("@program", str(LEVER)), ("@words", " ".join(f"'{word}'" for word in words)),
                       ("@last", str(last)), ("@line", " ".join(words))):
        script = script.replace(name, text)
    ask = {"bash": ["bash", "-c"], "zsh": ["zsh", "-fc"], "fish": ["fish", "-N", "-c"]}[shell]
    path = f"{os.path.dirname(LEVER)}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as empty:
        result = subprocess.run([*ask, script], capture_output=True, text=True, check=False, cwd=folder or empty,
                                env={**os.environ, "PATH": path, "HOME": empty})
    equal(result.stderr, "")
    return sorted(result.stdout.split())


@test("bash, zsh and fish complete commands, options and their values")
def _():
    shells = [shell for shell in SHELLS if shutil.which(shell)]
    check("bash" in shells)
    for shell in shells:
        equal(complete("lever rep", shell), ["report"])
        equal(complete("lever run --gran", shell), ["--granularity"])
        equal(complete("lever config run.gran", shell), ["run.granularity"])
        equal(complete("lever config set report.tree ", shell), ["callees", "callers", "none"])
        equal(complete("lever config unse", shell), ["unset"])
        equal(complete("lever report --tree ", shell), ["callees", "callers", "none"])
        equal(complete("lever report -f co", shell), ["coz"])
        equal(complete("lever run -q -- ls --gran", shell), [])
    equal(complete("lever report --format = js"), ["json"])
    equal(complete("lever report --format=js", "fish") if "fish" in shells else [], ["--format=json"])


@test("names of the profile in this folder complete progress points and targets")
def _():
    with tempfile.TemporaryDirectory() as folder:
        writer = pathlib.Path(LEVER).parent / "tests" / "golden" / "test_recording"
        if not writer.exists():
            return
        subprocess.run([writer, "pipeline", f"{folder}/lever.lever"], check=True)
        equal(complete("lever run --progress b", folder=folder), ["block"])
        equal(complete("lever run --target pipeline.c:4", folder=folder), ["pipeline.c:42"])


PROGRAM = """#include <lever.h>
#include <unistd.h>
static int serve_one(int value) { LEVER_PROGRESS_NAMED("serves"); return value; }
int server_main(int value) { /* LEVER_PROGRESS_NAMED(name) */ LEVER_PROGRESS_NAMED ( "server.loop"); return serve_one(value); }
int main(int count, char **words) { (void)words; return server_main(count) - 1 + (int)read(0, &count, 1); }
"""


@test("the program on the line, or the process of --pid, completes progress points and targets")
def _():
    if not shutil.which("cc"):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/program"
        pathlib.Path(f"{path}.c").write_text(PROGRAM, encoding="utf-8")
        subprocess.run(["cc", "-g", "-O0", "-I", SOURCE / "include", "-o", path, f"{path}.c"], check=True)
        for shell in (shell for shell in SHELLS if shutil.which(shell)):
            equal(complete("lever run --progress serve", shell, folder, f"-- {path}"),
                  ["serve_one", "server.loop", "server_main", "serves"])
            equal(complete("lever run --target serve", shell, folder, f"-q -- {path}"), ["serve_one", "server_main"])
            equal(complete("lever run --focus server", shell, folder, f"-q -- {path}"), ["server_main"])
            equal(complete("lever run -q --", shell, folder, f"-- {path}") == [], False)
            with subprocess.Popen([path], stdin=subprocess.PIPE) as process:
                equal(complete(f"lever run --pid {process.pid} --target serve", shell, folder), ["serve_one", "server_main"])
                process.stdin.close()
        # A colon ends what the other shells' stand-ins above print.
        equal(complete("lever run --with fun", "bash", folder, f"-q -- {path}"),
              ["func:main", "func:serve_one", "func:server_main"])
        equal(complete("lever run --assume inclusive:server", "bash", folder, f"-q -- {path}"), ["inclusive:server_main"])
        os.remove(f"{path}.c")
        equal(complete("lever run --progress serve", "bash", folder, f"-- {path}"), ["serve_one", "server_main"])
        equal(complete("lever run --progress serve", "bash", folder, "-- /dev/null"), [])


main()
