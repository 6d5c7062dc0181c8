#!/usr/bin/env python3
"""Writes docs/conformance_memory.md from tests/conformance/xla_memory_tests.tsv.

The table has a line for each of XLA's tests of dataflow, aliases, copies and buffers: suite, test, and one of
"FILE:NAME" (the test of ours that asserts its property), "- REASON" (not covered), "= REASON" (not our subject).

usage: conformance_table.py [--check]
With --check nothing is written: it is an error when the page is old or when a named test is not in its file.
Exit status: 0 fine, 1 not, 2 wrong usage.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
TABLE = os.path.join(ROOT, "tests", "conformance", "xla_memory_tests.tsv")
PAGE = os.path.join(ROOT, "docs", "conformance_memory.md")

HEAD = """# Conformance with XLA's tests: dataflow, aliases, copies, buffers

Test by test what of XLA's own tests a test of Hilo asserts, on a module of its own. Written by
`packaging/dev/conformance_table.py` from `tests/conformance/xla_memory_tests.tsv`, which checks that the tests it
names exist. Percentages leave out what is not Hilo's subject.
"""


def read_rows():
    with open(TABLE, encoding="utf-8") as table:
        return [line.rstrip("\n").split("\t") for line in table if line.strip()]


def missing_tests(rows):
    texts, missing = {}, []
    for suite, test, where in rows:
        if where[0] in "-=":
            continue
        path, name = where.split(":", 1)
        if path not in texts:
            full = os.path.join(ROOT, path)
            texts[path] = open(full, encoding="utf-8").read() if os.path.isfile(full) else ""
        if name not in texts[path]:
            missing.append(f"{suite} {test}: there is no {name} in {path}")
    return missing


def page(rows):
    suites = {}
    for suite, test, where in rows:
        suites.setdefault(suite, []).append((test, where))
    lines = [HEAD, "| XLA's tests | tests | not ours | covered | |", "|---|---|---|---|---|"]
    for suite, tests in suites.items():
        others = sum(where.startswith("=") for _, where in tests)
        covered = sum(where[0] not in "-=" for _, where in tests)
        share = 100 * covered / max(1, len(tests) - others)
        lines.append(f"| `{suite}` | {len(tests)} | {others} | {covered} | {share:.0f}% |")
    for suite, tests in suites.items():
        lines += ["", f"## {suite}", "", "| test | asserted by |", "|---|---|"]
        for test, where in tests:
            if where.startswith("-"):
                text = "not covered: " + where[2:]
            elif where.startswith("="):
                text = "not ours: " + where.split("not ours: ", 1)[-1].removeprefix("= ")
            else:
                path, name = where.split(":", 1)
                text = f"`{os.path.basename(path)}` {name}"
            lines.append(f"| {test} | {text} |")
    return "\n".join(lines) + "\n"


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    rows = read_rows()
    wrong = missing_tests(rows)
    for line in wrong:
        print(line)
    text = page(rows)
    if arguments:
        old = open(PAGE, encoding="utf-8").read() if os.path.isfile(PAGE) else ""
        if old != text:
            print("docs/conformance_memory.md is old: run packaging/dev/conformance_table.py")
            wrong.append("page")
    else:
        with open(PAGE, "w", encoding="utf-8") as out:
            out.write(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
