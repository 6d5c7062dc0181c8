#!/usr/bin/env python3
"""Writes xla_cases.tsv from XLA's sources: what each test of a pass says of a module that it has as text.

    make_cases.py FOLDER_THAT_HOLDS_xla

A row is a pass of XLA's, the file and the test, whether the pass changes the module (yes, no, ?), the pattern of the
root that the test's matcher names (see match.h; - where there is none that can be written so), settings of ours for
options that the test sets, and on how many replicas and partitions it says the module runs. The modules stay where they
are.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
PASSES = os.path.join(ROOT, "core", "compiler", "passes", "table", "xla_passes.def")

# Their tests are gone through by tables of their own.
ELSEWHERE = ("sharding-propagation", "shardy-xla", "spmd-partitioning", "collective-pipeliner-forward",
             "collective-pipeliner-backward", "latency-hiding-scheduler", "legalize-scheduling-annotations",
             "copy-insertion", "windowed-einsum-handler")
# Of a file with the tests of two passes, those of one: what they call.
CALLS = {"associative-scan-rewriter": "CheckScanRewrite", "reduce-window-rewriter": "CheckReduceWindowRewrite"}
# Options of XLA's that are settings here, under the same name.
SETTINGS = {"is_layout_sensitive": "is_layout_sensitive", "enable_fast_math": "enable_fast_math",
            "enable_remove_no_op_reduce_precision": "enable_remove_no_op_reduce_precision",
            "rewrite_no_op_bitcast_convert_to_bitcast": "rewrite_no_op_bitcast_convert_to_bitcast"}


def passes():
    with open(PASSES, encoding="utf-8") as table:
        found = re.findall(r"XLA_PASS\(\"([^\"]*)\", '.', \"([^\"]*)\", (\d+), \"([^\"]*)\"\)", table.read())
    return [(name, file) for name, file, tests, ours in found if ours and tests != "0" and name not in ELSEWHERE]


def sources_of(file, by_name):
    """The tests of a pass: beside it, and beside what it is a variant of."""
    name = os.path.basename(file)
    return sorted({path for test in (f"{name}_test.cc", f"gpu_{name}_test.cc") for path in by_name.get(test, [])})


def tests_of(source):
    """(name, body) of every test."""
    parts = re.split(r"\n(?=(?:XLA_)?TEST)", source)[1:]
    for part in parts:
        name = re.match(r"\w+\(\s*\w+,\s*(\w+)\)", part)
        if name:
            yield name.group(1), re.split(r"\n(?:INSTANTIATE|class |struct |const )", part[name.end():])[0]


def change_of(body):
    """Whether the pass says that it changed something, as the first expectation has it."""
    body = re.sub(r'R"(\w*)\((.*?)\)\1"', "TEXT", body, flags=re.S)
    for found in re.finditer(r"(ASSERT|EXPECT)_(TRUE|FALSE)\(([^;]*)\);|IsOkAndHolds\((true|false)\)|"
                             r"\w*(?:Check|Filecheck)\w*\((\w+, (?:[^;]*, )?(?:TEXT|std::nullopt))\s*\)|"
                             r"(?:expect_change|change_expected|expect_true)=\*/(true|false)|"
                             r"EXPECT_EQ\((?:changed|result), (true|false)\)", body):
        truth, subject, held, checked, said, equal = found[2], found[3], found[4], found[5], found[6], found[7]
        if held or said or equal:
            return "yes" if (held or said or equal) == "true" else "no"
        if checked:
            return "no" if "nullopt" in checked else "yes"
        names = r"Run|changed|result|mutated|modified|simplified_loop|canonicalized"
        if re.search(names, subject) and not re.search(r"\.ok\(\)|matche|filecheck|Equal", subject):
            return "yes" if truth == "TRUE" else "no"
    return "?"


def change_by_default(source, body):
    """The same of a helper of the test's file that expects a change unless it is told otherwise."""
    helper = re.search(r"(\w+)\([^()]*bool \w*(?:expect|change)\w* = (true|false)\)", source)
    if not helper:
        return "?"
    body = re.sub(r'R"(\w*)\((.*?)\)\1"', "TEXT", body, flags=re.S)
    call = re.search(rf"\b{helper[1]}\(([^;]*)\);", body)
    if not call:
        return "?"
    said = re.findall(r"\b(true|false)\b", call[1])
    return "yes" if (said or [helper[2]])[-1] == "true" else "no"


def kebab(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


RENAMED = {"op": "_", "exp": "exponential", "constant-scalar": "constant", "constant-effective-scalar": "constant",
           "eq": "compare", "ne": "compare", "lt": "compare", "le": "compare", "gt": "compare", "ge": "compare",
           "c-all-reduce": "all-reduce", "cos": "cosine", "sin": "sine", "concat": "concatenate"}
# The order of operands is not told, or what the arguments are.
ANY = ("add-any-order", "multiply-any-order", "maximum-any-order", "minimum-any-order", "and-any-order", "or-any-order")


def arguments_of(text, at):
    """The arguments in the parentheses that open at `at`, and one past them."""
    depth, start, found = 0, at + 1, []
    for i in range(at, len(text)):
        c = text[i]
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(c, 0)
        if (depth == 1 and c == ",") or depth == 0:
            found.append(text[start:i].strip())
            start = i + 1
        if depth == 0:
            return [f for f in found if f], i + 1
    return [], len(text)


def pattern_of(text):
    """A matcher such as m::Add(m::Parameter(0), m::Op().Is(x)) as match.h has it; None where it cannot be said."""
    text = text.strip()
    if text in ("_", "::testing::_"):
        return "_"
    head = re.match(r"(?:m|op|match)::(\w+)\(", text)
    if not head:
        return None
    name = kebab(head[1])
    arguments, _ = arguments_of(text, head.end() - 1)
    if name in ANY or name in ("shape", "opaque", "any-of", "non-constant"):
        return name.removesuffix("-any-order") if name in ANY else None
    name = RENAMED.get(name, name)
    operands = []
    for argument in arguments:
        if argument.startswith("&") or re.fullmatch(r"[-\w.:\"<>()* ]*", argument) and not re.match(r"(m|op|match)::", argument):
            continue
        operand = pattern_of(argument)
        if operand is None:
            return None
        operands.append(operand)
    if name in ("parameter", "constant", "_", "iota", "replica-id", "partition-id"):
        return name
    return f"{name}({', '.join(operands)})" if operands else name


def root_of(body):
    roots = set(re.findall(r"(?:auto|HloInstruction\*|const HloInstruction\*)\*? (\w+) =\s*\w+->entry_computation\(\)->root_instruction\(\);", body))
    for found in re.finditer(r"EXPECT_THAT\(|ASSERT_THAT\(", body):
        arguments, _ = arguments_of(body, found.end() - 1)
        if len(arguments) != 2:
            continue
        subject = re.sub(r"\s", "", arguments[0])
        if not subject.endswith("entry_computation()->root_instruction()") and subject not in roots:
            continue
        matcher = re.sub(r"^GmockMatch\((.*)\)$", r"\1", re.sub(r"\s+", " ", arguments[1]))
        return pattern_of(matcher) or "-"
    return "-"


def settings_of(body):
    """nullopt (None) where the test sets an option that is no setting here."""
    chosen = []
    for name, value in re.findall(r"\.set_(\w+)\(\s*(true|false)\s*\)", body):
        if name in SETTINGS and value == "true":
            chosen.append(f"{SETTINGS[name]}=true")
        elif name not in SETTINGS and name != "run_to_fixed_point":
            return None
    return ",".join(chosen)


def row_of(test, body, source):
    """(test, change, pattern, settings, devices); None where the test builds its module, or sets what is no setting here."""
    module = re.search(r'R"(\w*)\((.*?)\)\1"', body, flags=re.S)
    settings = settings_of(body)
    if not module or settings is None or "EXPECT" in body[: module.start()]:
        return None
    if re.search(r"\$\{?\d|\{\{[A-Z]|%[sd](?![\w.])", module[2]) or not re.search(r"ENTRY|ROOT|parameter\(", module[2]):
        return None
    rest = body[module.end():]
    change, pattern = change_of(rest), root_of(rest)
    if change == "?":
        change = change_by_default(source, rest)
    devices = re.search(r"replica\w*=\*/\s*(\d+),\s*/\*\w*partition\w*=\*/\s*(\d+)", rest)
    said = f"{devices[1]} {devices[2]}" if devices else "-"
    return None if change == "?" and pattern == "-" else (test, change, pattern, settings or "-", said)


def rows_of(root):
    by_name = {}
    for folder, _, files in os.walk(os.path.join(root, "xla")):
        for name in files:
            by_name.setdefault(name, []).append(os.path.relpath(os.path.join(folder, name), root))
    for name, file in passes():
        seen = set()
        for path in sources_of(file, by_name):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                source = file.read()
            for test, body in tests_of(source):
                row = row_of(test, body, source)
                if row and test not in seen and CALLS.get(name, "") in body:
                    seen.add(test)
                    # XLA's simplifier rounds otherwise without being told.
                    settings = {"algsimp": "may_round=true" if row[3] == "-" else f"may_round=true,{row[3]}"}.get(name, row[3])
                    if name in CALLS:
                        settings = "base_length=128"
                    yield name, path, *row[:3], settings, row[4]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(os.path.join(HERE, "xla_cases.tsv"), "w", encoding="utf-8") as table:
        for row in rows_of(sys.argv[1]):
            table.write("\t".join(row) + "\n")


main()
