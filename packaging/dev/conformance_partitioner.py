#!/usr/bin/env python3
"""Writes docs/conformance_partitioner.md from the tables of tests/conformance/spmd.

partitioner_cases.tsv says what each test of XLA's expects, partitioner_gaps.tsv what is otherwise here and why,
own_cases.txt which properties a module of our own has. propagation_cases.tsv and own_propagation.txt are the same of
sharding propagation, shardy_xla_*.tsv and own_shardy.txt of shardy-xla, each with the reasons of those that have no own
module. The rows of windowed-einsum-handler are the pass's own.

usage: conformance_partitioner.py [--check]
With --check nothing is written: it is an error when the page is old or names a test that is not there.
Exit status: 0 fine, 1 not, 2 wrong usage.
"""

import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TABLES = os.path.join(ROOT, "tests", "conformance", "spmd")
WINDOWED = os.path.join(ROOT, "tests", "conformance", "passes", "rows", "windowed-einsum-handler.rows")
PASSES = os.path.join(ROOT, "core", "compiler", "passes", "table", "xla_passes.def")
PAGE = os.path.join(ROOT, "docs", "conformance_partitioner.md")

HEAD = """# Conformance with XLA's tests: the partitioner

Test by test of `spmd_partitioner_test.cc`: the kinds of collectives that its matchers name, and whether Hilo makes the
same. "and maybe others" stands where the matchers leave operands open; a test without kinds asserts nothing of
collectives (shapes, groups, attributes, messages). *Own module*: a module of Hilo's own with that property is
partitioned in each run of the tests, has these collectives, and computes on all devices what it does whole. *Holds*:
the same of XLA's module, when `HILO_XLA_SOURCE` names XLA's sources; a module too large to be run, or one that tells
devices apart or has queues, is verified alone. Written by `packaging/dev/conformance_partitioner.py`.
"""


WINDOWED_HEAD = """
## Windowed einsums

Test by test of `windowed_einsum_handler_test.cc`: a row of `windowed-einsum-handler.rows` bears its name and asserts the
same of a smaller module: loops written out, queues and what starts early, all-gathers read from the loop, sums behind
it, 8-bit floats scaled inside, all-to-alls in parts. The verifier takes the result, and all devices compute what they
did before.
"""


def rows_of(name):
    with open(os.path.join(TABLES, name), encoding="utf-8") as table:
        return [line.rstrip("\n").split("\t") for line in table if line.strip()]


def own_tests(name="own_cases.txt"):
    with open(os.path.join(TABLES, name), encoding="utf-8") as cases:
        heads = re.findall(r"^([A-Z][\w ]+): \d+(?:: |$)", cases.read(), flags=re.M)
    return {test for head in heads for test in head.split()}


def state_of(test, kinds, gaps, own):
    if test in gaps:
        what, why = gaps[test]
        return ("other collectives: " if what == "kinds" else "refused: ") + why
    if kinds == "-":
        return "own module, partitioned" if test in own else "partitioned, nothing said of collectives"
    return "own module, holds" if test in own else "holds"


def page(cases, gaps, own):
    states = [(test, kinds, state_of(test, kinds, gaps, own)) for test, _, kinds, _ in cases]
    named = [state for _, kinds, state in states if kinds != "-"]
    same = sum("holds" in state for state in named)
    owned = sum(state.startswith("own") for state in named)
    lines = [HEAD, "| tests | of them |", "|---|---|",
             f"| with one module | {len(states)} |",
             f"| that name kinds of collectives | {len(named)} |",
             f"| of these the same here | {same} ({100 * same / len(named):.0f}%) |",
             f"| of these with a module of our own | {owned} ({100 * owned / len(named):.0f}%) |",
             f"| of the others with a module of our own | {len(own & {row[0] for row in cases}) - owned} |",
             f"| refused by name | {sum(state.startswith('refused') for _, _, state in states)} |",
             "", "| test | collectives | here |", "|---|---|---|"]
    for test, kinds, state in states:
        text = "" if kinds == "-" else kinds.replace("+", " and maybe others").replace(",", ", ")
        lines.append(f"| {test} | {text} | {state} |")
    return "\n".join(lines) + "\n"


SPREAD_HEAD = """
## %s

Test by test of `%s`: a module of Hilo's own with its property is in `tests/conformance/spmd/%s` and is run in each run
of the tests.

| tests | of them |
|---|---|
| all | %d |
| with a module of our own | %d (%.0f%%) |

| test | here |
|---|---|"""


def spread(title, source, tables, own_file, gaps_file):
    """A section of a pass that spreads shardings, and the tests that it names twice or not at all."""
    own = own_tests(own_file)
    gaps = {row[0]: row[1] for row in rows_of(gaps_file)}
    tests = sorted({row[0] for table in tables for row in rows_of(table)} | own | set(gaps))
    head = SPREAD_HEAD % (title, source, own_file, len(tests), len(own), 100 * len(own) / len(tests))
    lines = [f"| {test} | {'own module' if test in own else 'not: ' + gaps.get(test, '?')} |" for test in tests]
    problems = [f"{test} has neither an own module nor a reason, or both"
                for test in tests if (test in own) == (test in gaps)]
    return "\n".join([head] + lines) + "\n", problems


def spread_sections():
    propagation = spread("Propagation", "sharding_propagation_test.cc", ["propagation_cases.tsv"],
                         "own_propagation.txt", "propagation_gaps.tsv")
    shardy = spread("Shardy's pass", "shardy_xla_pass_test.cc",
                    ["shardy_xla_cases.tsv", "shardy_xla_programs.tsv"], "own_shardy.txt", "shardy_xla_gaps.tsv")
    return propagation[0] + shardy[0], propagation[1] + shardy[1]


def windowed():
    with open(WINDOWED, encoding="utf-8") as table:
        rows = re.findall(r"^([A-Z]\w*): ", table.read(), flags=re.M)
    with open(PASSES, encoding="utf-8") as table:
        tests = re.search(r"windowed_einsum_handler\", (\d+),", table.read())[1]
    lines = [WINDOWED_HEAD, f"{len(rows)} of {tests} tests have such a row.", "", "| test | here |", "|---|---|"]
    return "\n".join(lines + [f"| {name} | own module, holds |" for name in rows]) + "\n"


def main():
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and sys.argv[1] != "--check"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    cases = rows_of("partitioner_cases.tsv")
    gaps = {test: (what, why) for test, what, why in rows_of("partitioner_gaps.tsv")}
    own = own_tests()
    unknown = (set(gaps) | own) - {row[0] for row in cases}
    problems = [f"{test} is no test of the table" for test in sorted(unknown)]
    sections, missing = spread_sections()
    problems += missing
    text = page(cases, gaps, own) + sections + windowed()
    if len(sys.argv) == 2:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != text:
                problems.append("docs/conformance_partitioner.md is old: run packaging/dev/conformance_partitioner.py")
    else:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
