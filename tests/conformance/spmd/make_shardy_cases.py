#!/usr/bin/env python3
"""Writes shardy_cases.tsv and shardy_rule_cases.tsv from Shardy's sources.

    make_shardy_cases.py FOLDER_THAT_HOLDS_shardy

A row is one expectation of a test of Shardy's propagation: in which file and function, of what (argument, result or the
operation at a line of the function), which sharding of each value afterwards; "-" where it has none. The functions stay
where they are.
"""

import os
import re
import sys

FOLDER = "shardy/dialect/sdy/transforms/propagation/test"
FILES = [
    "aggressive_propagation", "basic_propagation", "basic_propagation_data_flow_edges",
    "basic_propagation_manual_computation", "op_priority_propagation", "sharding_group_propagation",
    "user_priority_propagation", "propagation_pipeline", "propagation_pipeline_data_flow_edges",
]
SHARDING = re.compile(r"#sdy\.sharding<@\w+, ([^>]*)>")
OPERATION = re.compile(r"\b((?:stablehlo|mhlo)\.\w+|sdy\.(?:sharding_constraint|manual_computation|constant)\b)")


def functions_of(path):
    """(name, lines of the function, CHECK lines before and in it) of every function with a label of its own."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    names = [found.group(1) for line in lines if (found := re.match(r"func\.func (?:private |public )?@(\w+)", line))]
    for start, line in enumerate(lines):
        found = re.match(r"func\.func (?:private |public )?@(\w+)", line)
        if not found or names.count(found.group(1)) > 1:
            continue
        end = next(i for i in range(start, len(lines)) if lines[i].startswith("}"))
        first = start
        while first > 0 and lines[first - 1].startswith("//"):
            first -= 1
        checks = [text for text in lines[first:end] if "CHECK" in text]
        if not any(re.search(r"CHECK-LABEL: func(?:\.func)? (?:private )?@%s\b" % found.group(1), c) for c in checks):
            continue
        yield found.group(1), lines[start:end + 1], checks


def statements_of(checks):
    """CHECK lines as statements: what CHECK-SAME says belongs to the line before."""
    statements = []
    for check in checks:
        found = re.search(r"//\s*CHECK(-LABEL|-NEXT|-SAME(?:\{LITERAL\})?|-NOT|-DAG)?(?:\{LITERAL\})?:(.*)", check)
        if not found or found.group(1) == "-NOT":
            continue
        if (found.group(1) or "").startswith("-SAME") and statements:
            statements[-1] += " " + found.group(2).strip()
        else:
            statements.append(found.group(2).strip())
    return statements


def typed_values(text):
    """Of "%arg0: tensor<4xf32> {sdy.sharding = ...}, ...": (name, sharding or "-")."""
    values = []
    for found in re.finditer(r"(%\w+: )?tensor<[^>]*>(\s*\{[^=]*sdy\.sharding = #sdy\.sharding<@\w+, ([^>]*)>)?", text):
        values.append((found.group(1), found.group(3) or "-"))
    return values


def signature_rows(statement):
    arguments, _, results = statement.partition("->")
    for name, sharding in typed_values(arguments):
        number = re.match(r"%arg(\d+):", name or "")
        if number:
            yield f"arg {number.group(1)}", sharding
    for n, (_, sharding) in enumerate(typed_values(results)):
        yield f"result {n}", sharding


def operation_rows(statements, lines):
    source = {}
    for n, line in enumerate(lines):
        found = None if line.strip().startswith("//") else OPERATION.search(line)
        if found:
            source.setdefault(found.group(1), []).append(n)
    checked = {}
    for statement in statements:
        found = OPERATION.search(statement)
        if found:
            checked.setdefault(found.group(1), []).append(statement)
    for name, texts in checked.items():
        if len(texts) != len(source.get(name, [])):
            continue
        for text, line in zip(texts, source[name]):
            shardings = re.search(r"sdy\.sharding = #sdy\.sharding_per_value<\[(.*?)\]>\s*[,}]", text)
            if shardings and "[[" not in text[shardings.start():shardings.end()]:
                values = re.findall(r"<@\w+, ([^>]*)>", shardings.group(1))
                if values:
                    yield f"line {line}", " | ".join(values)


def rule_rows(folder):
    name = "op_sharding_rule_registry"
    for function, lines, checks in functions_of(os.path.join(folder, name + ".mlir")):
        operations = [n for n, line in enumerate(lines)
                      if n > 0 and not line.strip().startswith("//") and OPERATION.search(line)]
        rules = re.findall(r"#sdy\.op_sharding_rule<.*?>(?=[\s,}]|$)", "\n".join(checks).replace(", custom>", ">"))
        if len(operations) == 1 and len(rules) == 1:
            yield "\t".join([name, function, f"line {operations[0]}", rules[0]])


def main():
    folder = os.path.join(sys.argv[1], FOLDER)
    rows = []
    for name in FILES:
        for function, lines, checks in functions_of(os.path.join(folder, name + ".mlir")):
            statements = statements_of(checks)
            found = [*signature_rows(statements[0]), *operation_rows(statements[1:], lines)]
            rows += ["\t".join([name, function, subject, text]) for subject, text in found]
    write("shardy_cases.tsv", rows)
    write("shardy_rule_cases.tsv", rule_rows(folder))


def write(name, rows):
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, name), "w", encoding="utf-8") as out:
        out.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
