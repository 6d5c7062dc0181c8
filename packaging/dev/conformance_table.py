#!/usr/bin/env python3
"""Writes docs/conformance_memory.md, conformance_tiles.md, conformance_kernel_layouts.md and conformance_mosaic.md
from tests/conformance/xla_memory_tests.tsv, xla_tile_tests.tsv, jax_kernel_layout_tests.tsv and jax_mosaic_tests.tsv.

A table has a line for each of XLA's or JAX's tests: suite, test, and one of "FILE:NAME" (the test or case of ours that
asserts its property), "- REASON" (not covered), "= REASON" (not our subject).

usage: conformance_table.py [--check]
With --check nothing is written: it is an error when the page is old or when a named test is not in its file.
Exit status: 0 fine, 1 not, 2 wrong usage.
"""

import os
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))

# Table, page, whose tests, its title and what it holds.
PAGES = (
    ("xla_memory_tests.tsv", "conformance_memory.md", "XLA", "dataflow, aliases, copies, buffers",
     "Test by test what of XLA's own tests a test of Hilo asserts, on a module of its own."),
    ("xla_tile_tests.tsv", "conformance_tiles.md", "XLA", "tiles of fusions",
     "Test by test what of XLA's own tests of its tile analysis a case or a test of Hilo asserts, on a module of its "
     "own: the offsets, sizes and strides of every tile, which sizes are legal, and how others are refused."),
    ("jax_kernel_layout_tests.tsv", "conformance_kernel_layouts.md", "JAX", "layouts of kernels",
     "Test by test what of JAX's own tests of the layout inference of Mosaic GPU (tests/mosaic) a case or a test of "
     "Hilo asserts, on a kernel of its own: the layouts of operands and results, and what is refused; of "
     "`gpu_test` those tests that are about layouts and need no GPU to say so."),
    ("jax_mosaic_tests.tsv", "conformance_mosaic.md", "JAX", "the dialect of Mosaic GPU",
     "Test by test what of JAX's own tests of the dialect (`tests/mosaic/gpu_dialect_test.py`) a case or a test of Hilo "
     "asserts: what is valid, what is refused and by which message, what canonicalization makes of it."),
)


def head_of(whose, title, about, table):
    """The page's beginning, in lines of at most 120."""
    about += (f" Written by `packaging/dev/conformance_table.py` from `tests/conformance/{table}`, which checks that "
              "the tests it names exist. Percentages leave out what is not Hilo's subject.")
    filled = textwrap.fill(about, 120, break_long_words=False, break_on_hyphens=False)
    return f"# Conformance with {whose}'s tests: {title}\n\n{filled}\n"


def read_rows(name):
    with open(os.path.join(ROOT, "tests", "conformance", name), encoding="utf-8") as table:
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


def page(head, whose, rows):
    suites = {}
    for suite, test, where in rows:
        suites.setdefault(suite, []).append((test, where))
    lines = [head, f"| {whose}'s tests | tests | not ours | covered | |", "|---|---|---|---|---|"]
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


def write_page(table, name, whose, title, about, is_check):
    """The problems found."""
    rows = read_rows(table)
    wrong = missing_tests(rows)
    text, path = page(head_of(whose, title, about, table), whose, rows), os.path.join(ROOT, "docs", name)
    if not is_check:
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return wrong
    old = open(path, encoding="utf-8").read() if os.path.isfile(path) else ""
    if old != text:
        wrong.append(f"docs/{name} is old: run packaging/dev/conformance_table.py")
    return wrong


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    wrong = [line for made in PAGES for line in write_page(*made, bool(arguments))]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
