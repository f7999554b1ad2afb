#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""editors - Vim and Emacs jump to the lines of a profile's sure answers.

Usage: editors.py PATH-OF-LEVER PATH-OF-test_recording SOURCE
"""
import os
import shutil
import subprocess
import sys
import tempfile

from check import LEVER, Skip, check, equal, lever, main, test

RECORDER, SOURCE = (os.path.abspath(path) for path in sys.argv[2:4])
FOLDER = tempfile.TemporaryDirectory()
PROFILE = os.path.join(FOLDER.name, "it's here.lever")


def answers():
    """[(file, line, sentence)]"""
    if not os.path.exists(PROFILE):
        subprocess.run([RECORDER, "pipeline", PROFILE], check=True)
    lines = lever("report", "--format", "quickfix", PROFILE).stdout.splitlines()
    check(len(lines) > 1, lines)
    found = []
    for line in lines:
        place, sentence = line.split(": ", 1)
        file, number = place.rsplit(":", 1)
        found.append((file, int(number), sentence))
    return found


def need(name, package):
    if not shutil.which(name):
        raise Skip(f"{name} is not installed (Debian: apt-get install {package})")


def run(*words):
    result = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd=FOLDER.name,
                            env={**os.environ, "HOME": FOLDER.name, "TERM": "dumb"}, stdin=subprocess.DEVNULL)
    equal(result.returncode, 0, result.stdout + result.stderr)
    return result.stdout + result.stderr


def vim(*commands):
    words = [word for command in commands for word in ("-c", command)]
    return run("vim", "-N", "-u", "NONE", "-i", "NONE", "-es", "-c", f"set runtimepath+={SOURCE}/editors/vim",
               "-c", "runtime plugin/lever.vim", "-c", f"let g:lever_program = '{LEVER}'", *words, "-c", "qa!")


@test("Vim has each answer in its quickfix list")
def _():
    need("vim", "vim")
    told = os.path.join(FOLDER.name, "told")
    vim("execute 'Lever ' . fnameescape('it''s here.lever')" if not answers() else "Lever it's here.lever",
        f"call writefile(map(getqflist(), 'bufname(v:val.bufnr) . \"\\t\" . v:val.lnum . \"\\t\" . v:val.text'), '{told}')")
    with open(told, encoding="utf-8") as file:
        rows = [tuple(line.rstrip("\n").split("\t")) for line in file]
    equal([(file, int(line), text) for file, line, text in rows], answers())


@test("Vim tells lever's sentence if there is no profile")
def _():
    need("vim", "vim")
    told = os.path.join(FOLDER.name, "messages")
    vim(f"redir! > {told}", "silent! Lever missing.lever", "redir END")
    with open(told, encoding="utf-8") as file:
        text = file.read()
    check("missing.lever" in text and "lever:" in text, text)


@test("Emacs visits each answer by next-error")
def _():
    need("emacs", "emacs-nox")
    answers()
    told = run("emacs", "-Q", "--batch", "-l", os.path.join(SOURCE, "editors/emacs/lever.el"), "--eval", f"""
(progn
  (setq lever-program "{LEVER}")
  (let ((compilation-scroll-output nil))
    (with-current-buffer (lever-report "it's here.lever")
      (while (get-buffer-process (current-buffer)) (accept-process-output nil 0.1))
      (compilation--ensure-parse (point-max))
      (goto-char (point-min))
      (condition-case nil
          (while t
            (compilation-next-error 1)
            (let* ((location (compilation--message->loc (get-text-property (point) 'compilation-message))))
              (princ (format "%s\\t%d\\n" (caar (compilation--loc->file-struct location))
                             (compilation--loc->line location)))))
        (error nil)))))""")
    rows = [tuple(line.split("\t")) for line in told.splitlines() if line.count("\t") == 1]
    equal([(file, int(line)) for file, line in rows], [(file, line) for file, line, _ in answers()], told)


@test("Emacs compiles the package without a warning")
def _():
    need("emacs", "emacs-nox")
    copy = os.path.join(FOLDER.name, "lever.el")
    shutil.copy(os.path.join(SOURCE, "editors/emacs/lever.el"), copy)
    told = run("emacs", "-Q", "--batch", "--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile", copy)
    check("arning" not in told, told)


main()
