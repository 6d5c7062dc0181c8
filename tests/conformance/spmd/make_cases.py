#!/usr/bin/env python3
"""Writes propagation_cases.tsv, shardy_xla_cases.tsv and partitioner_cases.tsv from XLA's sources.

    make_cases.py FOLDER_THAT_HOLDS_xla

A row of the first is one expectation of a test of sharding_propagation_test.cc: which instruction has which sharding
afterwards, with what the test lets shardings spread to; of the second the same of shardy_xla_pass_test.cc. A row of the
third is a test of spmd_partitioner_test.cc, its number of devices and the kinds of collectives that its matchers name.
The modules stay where they are.
"""

import os
import re
import sys


def tests_of(path):
    """(name, body) of every test."""
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"\n(?=TEST)", file.read())[1:]
    for part in parts:
        name = re.match(r"TEST(?:_[PF])?\(\s*\w+,\s*(\w+)\)", part)
        if name:
            yield name.group(1), part[name.end():]


def block_end(text, at):
    """One past the brace that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    return len(text)


def without_root_propagation(body):
    """Branches for tests that run with and without spreading to the root: those without."""
    mark = "if (GetParam().allow_root_sharding_propagation) {"
    while mark in body:
        at = body.index(mark)
        end = block_end(body, at + len(mark) - 1)
        body = body[:at] + re.sub(r"^\s*else\s*", "", body[end:])
    return body


def joined(text):
    """C++ string literals side by side as one."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))


def subject_of(expression, names):
    """The instruction's name; "/0" behind it is its operand 0."""
    operand = re.search(r"->(?:mutable_)?operand\((\d+)\)\s*$", expression)
    if operand:
        user = subject_of(expression[: operand.start()], names)
        return user and f"{user}/{operand.group(1)}"
    found = re.search(r'FindInstruction\(\s*module(?:\.get\(\))?,\s*"([^"]+)"\s*\)', expression)
    if found:
        return found.group(1)
    found = re.search(r"FindInstruction\(\s*module\.get\(\),\s*xla::HloOpcode::k(\w+)\)", expression)
    if found:
        return f"<first {found.group(1).lower()}>"
    if "root_instruction()" in expression and re.search(r"entry_computation\(\)|\bentry\s*->", expression):
        return "<root>"
    found = re.search(r"(?:entry_computation\(\)|\bentry)\s*->\s*parameter_instruction\((\d+)\)$", expression.strip())
    if found:
        return f"<parameter {found.group(1)}>"
    return names.get(expression.strip())


def allowed(body, kind):
    found = re.search(r"allow_spmd_sharding_propagation_to_%s(?:_vector)?=\*/\s*\{([^}]*)\}" % kind, body)
    if not found:
        return "-"
    return ",".join("1" if "true" in flag else "0" for flag in found.group(1).split(",")) or "-"


def propagation_rows(path):
    for name, body in tests_of(path):
        literals = len(re.findall(r'R"', body))
        code = without_root_propagation(re.sub(r'R"\((.*?)\)"', '"module"', body, flags=re.S))
        if literals != 1 or "num_partitions" in code:
            continue
        names, rows = {}, []
        step = re.compile(
            r"(?:(?:auto\*?|(?:const )?HloInstruction\*)\s+(?:const\s+)?|\n\s+)(\w+)\s*=\s*([^;]*);"
            r"|EXPECT_THAT\(\s*([^;]*?),\s*op::Sharding\(([^;]*?)\)\s*\);", flags=re.S)
        for variable, value, expression, text in step.findall(code):
            if variable:
                names[variable] = subject_of(value, {})
                continue
            subject, sharding = subject_of(expression, names), joined(text)
            if subject and sharding:
                rows.append((subject, sharding))
        rows += [row for row in other_expectations(code, names) if all(row)]
        for subject, sharding in rows or whether_changed(code):
            yield name, allowed(code, "parameters"), allowed(code, "output"), subject, sharding


def other_expectations(code, names):
    """(subject, "none" | "= OTHER" | "!= OTHER" | sharding) of what a test says of shardings in another form."""
    code = code[code.find("ShardingPropagation("):]
    for expression in re.findall(r"EXPECT_FALSE\(\s*([^;]*?)->has_sharding\(\)\);", code):
        yield subject_of(expression, names), "none"
    for expression in re.findall(r"EXPECT_THAT\(\s*(\w+),\s*op::NoSharding\(\)\);", code):
        yield subject_of(expression, names), "none"
    for sign, one, other in re.findall(r"EXPECT_(EQ|NE)\((\w+)->sharding\(\),\s*(\w+)->sharding\(\)\);", code):
        if names.get(other):
            yield names.get(one), ("= " if sign == "EQ" else "!= ") + names[other]
    for expression, kind in re.findall(r"EXPECT_TRUE\(\s*(\w+)->sharding\(\)\.Is(Replicated|Manual)\(\)\);", code):
        yield subject_of(expression, names), "{%s}" % kind.lower()
    for variables, text in re.findall(
            r"for \(HloInstruction\* instruction : \{([\w, ]+)\}\) \{\s*EXPECT_THAT\(instruction,\s*op::Sharding\(([^;]*?)\)\);",
            code, flags=re.S):
        for variable in variables.split(","):
            yield names.get(variable.strip()), joined(text)
    for subject, sharding in re.findall(r'\{"([\w.]+)",\s*"(\{[^"]*\})"\}', code):
        yield subject, sharding
    if re.search(r"for \(auto\* hlo : module->entry_computation\(\)->instructions\(\)\) \{\s*"
                 r"EXPECT_TRUE\(hlo->sharding\(\)\.IsManual\(\)\);", code):
        yield "<each>", "{manual}"


def whether_changed(code):
    """Of a test that says nothing else."""
    found = re.findall(r"EXPECT_(TRUE|FALSE)\(changed\);", code)
    return [("<module>", "changed" if found[0] == "TRUE" else "unchanged")] if len(found) == code.count("EXPECT_") == 1 else []


COLLECTIVES = {"AllGather": "all-gather", "AllReduce": "all-reduce", "AllToAll": "all-to-all",
               "CollectivePermute": "collective-permute"}


def calls_of(code):
    """(name, arguments) of every matcher."""
    for found in re.finditer(r"op::(\w+)\(", code):
        depth, from_, arguments = 1, found.end(), []
        for at in range(found.end(), len(code)):
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(code[at], 0)
            if depth == 0 or (depth == 1 and code[at] == ","):
                arguments.append(code[from_:at].strip())
                from_ = at + 1
            if depth == 0:
                break
        yield found.group(1), [argument for argument in arguments if argument]


# Nothing that moves between devices lies below these; positions that hold indices or masks.
LEAVES = {"Constant", "Parameter", "Iota", "PartitionId", "Broadcast", "Shape", "Sharding", "Infeed"}
NO_DATA = {"DynamicSlice": lambda i: i > 0, "DynamicUpdateSlice": lambda i: i > 1, "Select": lambda i: i == 0}


def has_holes(code):
    """Whether there are operands that the matchers say nothing of."""
    # Called computations are matched apart, or not at all.
    if "FindInstruction(" in code or re.search(r"op::(While|Conditional|Call)\(", code):
        return True
    if re.search(r"=\s*AllOf\(op::Shape\([^()]*\)\)\s*;|=\s*op::Shape\(", code):
        return True
    skipped = []
    for name, arguments in calls_of(code):
        for i, argument in enumerate(arguments):
            if NO_DATA.get(name, lambda i: False)(i):
                skipped.append(argument)
            elif argument == "_" or argument.startswith("op::Shape(") and name != "AllOf":
                return True
    text = code
    for argument in sorted(skipped, key=len, reverse=True):
        text = text.replace(argument, "")
    return any(not arguments and name not in LEAVES for name, arguments in calls_of(text))


def kinds_of(body):
    """Which collectives the test expects in the result: "none" where its matchers have none, with "+" behind where
    there may be others, "-" where it says nothing of them."""
    code = re.sub(r'R"\((.*?)\)"', "", body, flags=re.S)
    # Alternatives; modules that are made beside the partitioned one.
    if re.search(r"\bNot\(|AnyOf\(|original_value_recovery_table", code):
        return "-"
    named = {name for name, _ in calls_of(code)}
    counts = re.findall(r"NumOfInstructions\([^;]*?HloOpcode::k(\w+)\)\s*,\s*(\d+)\)", code)
    counted = {name for name, count in counts if name in COLLECTIVES}
    if not named - {"Shape", "Sharding"} and not counted:
        return "-"
    found = (named | {name for name, count in counts if count != "0"}) & set(COLLECTIVES)
    isOpen = has_holes(code) and counted != set(COLLECTIVES)
    kinds = ",".join(sorted(COLLECTIVES[name] for name in found))
    return kinds + ("+" if isOpen else "") if kinds else "-" if isOpen else "none"


OPTIONS = {"threshold_for_windowed_einsum_mib": "windowed_einsum_threshold_mib"}


def options_of(body):
    """What the test sets otherwise than by default: "name=value"; an option that is not known keeps XLA's name."""
    found = re.findall(r"options\.(\w+)\s*=\s*([^;]+);", body)
    if "enable_enzyme_opt=*/true" in body:
        found.append(("xla_enable_enzyme_comms_opt", "true"))
    return ",".join(f"{OPTIONS.get(name, name)}={''.join(value.split())}" for name, value in found) or "-"


def partitioner_rows(path):
    for name, body in tests_of(path):
        found = re.search(r"PartitionComputation\(\s*\w+,\s*(?:/\*num_devices=\*/)?\s*(\d+)", body)
        if found and re.search(r'R"', body):
            yield name, found.group(1), kinds_of(body), options_of(body)


def write(name, rows):
    with open(os.path.join(os.path.dirname(__file__), name), "w", encoding="utf-8") as file:
        for row in rows:
            file.write("\t".join(row) + "\n")


def main():
    root = os.path.join(sys.argv[1], "xla", "service")
    write("propagation_cases.tsv", propagation_rows(os.path.join(root, "sharding_propagation_test.cc")))
    write("shardy_xla_cases.tsv", propagation_rows(os.path.join(root, "spmd", "shardy", "shardy_xla_pass_test.cc")))
    write("partitioner_cases.tsv", partitioner_rows(os.path.join(root, "spmd", "spmd_partitioner_test.cc")))


if __name__ == "__main__":
    main()
