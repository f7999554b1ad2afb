# SPDX-License-Identifier: BSD-2-Clause
"""pages - docs/gallery: one page for each change, and the table of all, from what the folders of the gallery hold."""
import re
import textwrap

from picture import picture


def points(figures):
    return f"{figures['gain']:.1f} ({figures['low']:.1f} to {figures['high']:.1f})" if figures else "–"


def perf_words(change):
    first = change.prediction["perf_first"]
    if not first:
        return "–"
    percent, program, _, _, *function = re.sub(r"( -)+$", "", first).split()
    name = f"{program}: {' '.join(function)}"
    gain = (change.row or {}).get("perf_gain")
    told = ": the same change" if change.case_words.get("perf_same") else f": {points(gain)} by {change.case_words['perf_change']}" if gain else ""
    return f"`{name}` ({percent}){told}"


def first_words(change):
    """Of a row that was predicted anew: what came of the first prediction."""
    if not change.earlier:
        return ""
    first = change.earlier[0]
    guess = f"{first['predicted']['gain']:.1f}" if first["predicted"] else "nothing"
    return f"; first {guess} for {first['measured']['gain']:.1f}, {first['verdict']}"


def earlier_words(kept):
    return (f"Earlier, by the prediction of {kept['commit']} ({kept['date']}), for {kept['change']}: {points(kept['predicted'])} % predicted, "
            f"{points(kept['measured'])} % measured, {kept['verdict']}.")


def came_true(rows):
    return f"{sum(row['verdict'] == 'came true' for row in rows)} of {len(rows)}"


def table(changes):
    lines = ["| program and change | kind | predicted | measured | verdict | `perf` names first, and that change's gain if one is known |", "| --- | --- | --- | --- | --- | --- |"]
    for change in changes:
        row, words = change.row, change.case_words
        told = (points(row["predicted"]), points(row["measured"]), row["verdict"] + first_words(change)) if row else ("made", "not yet", "–")
        lines.append(f"| [{words['title']}]({change.name}.md): {words['change']} | {words['kind']} | " + " | ".join([*told, perf_words(change)]) + " |")
    return "\n".join(lines) + "\n"


def index(changes):
    rows = [change.row for change in changes if change.row]
    firsts = [change.earlier[0] if change.earlier else change.row for change in changes if change.row]
    anew = [change.row for change in changes if change.row and change.earlier]
    told = f"As first published, {came_true(firsts)} predictions came true. {len(anew)} rows were predicted anew by a later build, for a change or a question that " \
           f"fits better, as their pages tell: {came_true(anew)} then came true, and {came_true(rows)} rows in all." if anew else f"{came_true(rows)} predictions came true."
    text = f"""# Gallery: predictions on real programs, and what came true

Lever predicts what a change would bring; git has the prediction before the change is measured.
{told}

A row holds percent of run time with 95 % intervals. *Came true*: the measured interval meets the predicted one, or lies within 3 points
of it. After *first* stands the outcome of a row's first prediction. *Cannot tell*: the predicted interval is wider than ±4 points and ±half of the gain. A null is hot code of which Lever says that it does not help.

```
gallery/run NAME                 # predict, measure, print: in a folder of its own
gallery/run all
gallery/run table
gallery/run predict NAME         # writes gallery/NAME/prediction.json; commit it
gallery/run measure NAME         # refuses a prediction that git does not have; writes row.json
```

"""
    machines = sorted({change.prediction["machine"] for change in changes})
    offered = ", ".join(f"[{change.case_words['title']}]({change.name}.md)" for change in changes if change.upstream)
    return text + table(changes) + f"\nPatches for their projects, whose newest sources do not have them: {offered}.\n\nMeasured on a shared virtual machine, while nothing else ran unless the page says so: " + "; ".join(machines) + ".\n"


def screen_of(change):
    """The first screen from its first place on, up to what follows the places."""
    lines = [line.rstrip() for line in change.prediction["screen"].splitlines()]
    first = next((i for i, line in enumerate(lines) if line.startswith("measured")), 0)
    last = next((i for i, line in enumerate(lines) if line.startswith(("to be surer", "warning"))), first + 16)
    return "\n".join(lines[first:last])


def size_words(change):
    size = change.prediction["size"]
    if size is not None:
        return f"The change takes {size:.0f} % of the place's time away, by its construction."
    if change.row and change.row["size"] is not None:
        return f"The change takes {change.row['size']:.0f} % of the place's time away, by recordings before and after it."
    return "The part of the place's time that the change takes away is measured by recordings before and after it."


def long_words(prediction):
    longer = prediction.get("ask_seconds", prediction["seconds"])
    return "as long" if longer == prediction["seconds"] else f"{longer} s"


def page(change):
    words, prediction, row = change.case_words, change.prediction, change.row
    command = " ".join(["lever run", *prediction["options"], "--"])
    asked = f" Then its question: `{' '.join(['lever run', *prediction['ask'], '--'])} PROGRAM`, {long_words(prediction)}, into the same profile." if prediction.get("ask") else ""
    parts = [f"# {words['title']}: {words['change']}", change.problem.strip(),
             f"## What Lever says\n\n`{command} PROGRAM`, {prediction['seconds']} s.{asked} Profile `{prediction['profile_sha256'][:12]}`:\n\n```\n{screen_of(change)}\n```"]
    if change.patch:
        body = "\n".join(line for line in change.patch.splitlines() if not re.match(r"diff |index ", line))
        parts.append(f"## The change\n\n```diff\n{body}\n```")
    told = [size_words(change)]
    if row:
        guess = row["predicted"]
        told.append(f"Predicted{' by `' + guess['place'] + '`' if guess else ''}: {points(guess)} %. Measured in {row['measured']['pairs']} pairs: "
                    f"{points(row['measured'])} %. **{row['verdict'].capitalize()}.**")
    parts.append("## Did it come true?\n\n" + textwrap.fill(" ".join(told), 120))
    parts += [textwrap.fill(earlier_words(kept), 120, break_long_words=False) for kept in change.earlier]
    if picture(prediction, row):
        parts.append(f"![The predicted curve and the measured change]({change.name}.svg)")
    parts.append(textwrap.fill("`perf record` names first: " + perf_words(change) + ".", 120, break_long_words=False))
    if change.upstream:
        parts.append("## For its project\n\n" + change.upstream.strip())
    if change.note:
        parts.append(change.note.strip())
    return "\n\n".join(parts) + "\n"
