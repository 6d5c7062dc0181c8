#!/usr/bin/env python3
"""Checks that what users read in the studio and on the command line is said in the field's own words.

Each line of WORDS is a phrase that was tried on users and stopped them, and the usual word for it. String literals
of the rooms below are searched, neighbouring literals joined; comments are not. `ROOT` as argument checks another
tree than this checkout.

Prints each finding as FILE:LINE: 'phrase': say 'word'. Exit status: 0 none, 1 some, 2 wrong usage.
"""

import os
import re
import sys

from cpp_source import TOKEN

ROOMS = ["ui", "app", "core/workspace", "core/compiler/passes", "core/compiler/schedule"]

WORDS = {
    r"no order is (under|shorter)": "lower bound",
    r"beside work|work beside": "overlapped with compute",
    r"\bBetween them stands?\b": "N instructions are scheduled between start and done",
    r"\bplace (%\d|\{\}) of (%\d|\{\})": "position N of M",
    r"Wait no sooner than|Start right (after|at)": "Sink done to before X, Hoist start to after X",
    r"It may come as (late|early) as": "Latest (earliest) legal position",
    r"What decided\?": "Scheduler reason",
    r"Hold it here|Let it go": "Pin, Unpin",
    r"(?-i:^What it takes)": "Override duration",
    r"longest chain": "critical path",
    r"\bA with B\b|whose order the shown": "Compare A/B, schedule shown",
    r"further iterations left out": "loop collapsed",
    r"most in use": "peak live",
    r"never in use|Heap ends": "fragmentation",
    r"reaches to|free below it": "end offset, free below",
    r"Plans differ": "Assignment differences",
    r"\blies on\b|values lie$": "overlaps, computing buffer assignment",
    r"shares its bytes": "aliases / reuses buffer with",
    r"live, in the schedule": "live range (schedule)",
    r"where each element lies": "linear offset of each element",
    r"\bguess(ed)?\b": "estimate, estimated",
    r"\bhazards?\b": "dependency",
    r"instruction that can be told": "HLO instruction: unknown",
    r"bytes it reads and writes is not known": "buffer slices unknown",
    r"what the other (wrote|read)": "RAW, WAR or WAW in words: read after write",
    r"bytes in no order": "data race",
    r"one after the other": "serial total",
    r"\bmade-up\b": "random",
    r"as it stands": "without passes",
    r"\bno race\b": "no data races",
    r"Compile here": "Compile for this CPU",
    r"^Measure\b": "Profile",
    r"\bparts from\b": "diverges from",
    r"^(least|most)$": "min, max",
    r"^Nothing was run": "Not evaluated",
    r"^leaf$": "output",
    r"off / moved": "error / sensitivity",
    r"by no more than rounding|times as far as": "within rounding: N x of 1-ULP input sensitivity",
    r"Holds the difference": "Compare with input-perturbation error",
    r"^draws ": "samples",
    r"How sure that is": "95% CI needs at least 6 samples",
    r"Taken in turns": "Interleaved",
    r"^against ": "no comparison, compare with",
    r"^%\d times$": "N iterations",
    r"(?-i:^Stop$)": "Cancel",
    r"^way$|another way": "variant",
    r"Try again": "Ignore cache",
    r"beyond doubt": "statistically significant",
    r"^Alike$": "Summary",
    r"(?-i:^Number$)": "count",
    r"(%\d|\{\})\s+same$": "N unchanged",
    r"in another place of the order": "reordered",
    r"module is as it was": "module unchanged",
    r"as it was read": "input",
    r"no longer in this module": "created by PASS from NAME (step N)",
    r"flops a byte": "arithmetic intensity",
    r", with loops": "total (x trip count)",
    r"^how many$": "count, share",
    r"count no flops": "flops exclude",
    r"areas stand for": "size by",
    r"not grouped": "group by: none",
    r"what is around|[Ww]hat (it )?depends on": "Neighbourhood, Operands (transitive), Users (transitive)",
    r"Facts beside": "Inline annotations",
    r"Opened lately": "Recent",
    r"what is selected": "the selection",
    r"(?-i:\bFile of the dump)": "Dump file",
    r"Entry's root": "Go to entry root",
    r"Leave the focus": "Clear focus",
    r"not dumped": "missing from dump",
    r"order of (their|the) lists": "unscheduled: using post-order",
    r"no buffer assignment of XLA's": "no XLA buffer assignment found",
    r"Judge the copies|Judging|Look(ing)? at the schedule|Join source": "Analysing, Resolving",
    r"\(s\)": "a plural of its own: countOf",
    r"worked out|working out": "computed",
    r"by a stated algorithm|^(Writes|Chooses).* products?\b": "dots, expanded by algorithm",
    r"product-chain|library-products": "dot-chain-fusion, canonicalise dots for library",
    r"doubled and repacked": "duplicates and tuple round trips",
    r"one operation again": "async to sync collectives",
    r"extremum": "argmin, argmax",
    r"no known kind": "not an HLO/StableHLO file",
}


def literals(text):
    """(line, joined value) of the string literals of C++ text: neighbours with nothing between them are one."""
    found, end = [], None
    for match in TOKEN.finditer(text):
        token = match.group(0)
        if token.startswith(("//", "/*")) or token[0] == "'":
            continue
        is_include = text.rfind("\n", 0, match.start()) < text.rfind("#include", 0, match.start())
        if is_include:
            continue
        value = token[1:-1] if token[0] == '"' else token[token.index("(") + 1:token.rindex(")")]
        if end is not None and not text[end:match.start()].strip():
            found[-1] = (found[-1][0], found[-1][1] + value)
        else:
            found.append((text.count("\n", 0, match.start()) + 1, value))
        end = match.end()
    return found


def findings(root):
    for room in ROOMS:
        for folder, _, names in sorted(os.walk(os.path.join(root, room))):
            for name in sorted(names):
                if not name.endswith((".cpp", ".h", ".def")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                for line, value in literals(text):
                    for phrase, usual in WORDS.items():
                        if match := re.search(phrase, value, re.I):
                            yield f"{os.path.relpath(path, root)}:{line}: '{match.group(0)}': say '{usual}'"


def main(arguments):
    if len(arguments) > 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    here = os.path.dirname(os.path.abspath(__file__))
    found = list(findings(arguments[0] if arguments else os.path.join(here, "..", "..")))
    for line in found:
        print(line)
    print(f"{len(WORDS)} phrases, {len(found)} found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
