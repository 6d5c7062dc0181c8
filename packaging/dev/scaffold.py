"""What new-pass and new-op share: adding a line to a sorted table, and writing files that do not exist yet."""

import os
import sys


class Refused(Exception):
    """The request cannot be carried out; nothing has been written."""


def default_root():
    return os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def read(root, path):
    full = os.path.join(root, path)
    if not os.path.isfile(full):
        raise Refused(f"no file {path}")
    with open(full, encoding="utf-8") as file:
        return file.read()


def with_sorted_line(text, line, is_entry, key, where):
    """`text` with `line` put among the lines that `is_entry` picks, in order of `key`.

    What is indented below an entry belongs to it.
    """
    lines = text.splitlines(keepends=True)
    entries = [i for i, present in enumerate(lines) if is_entry(present)]
    if not entries:
        raise Refused(f"{where} has no line to go by")
    if any(key(lines[i]) == key(line) for i in entries):
        raise Refused(f"{where} has {key(line)} already")
    before = [i for i in entries if key(lines[i]) < key(line)]
    place = before[-1] + 1 if before else entries[0]
    while before and place < len(lines) and lines[place].startswith(" "):
        place += 1
    lines.insert(place, line + "\n")
    return "".join(lines)


def write_all(root, new_files, changed_files):
    """Writes everything, or nothing when a new file exists already. Prints what was written."""
    for path in new_files:
        if os.path.exists(os.path.join(root, path)):
            raise Refused(f"{path} exists already")
    for path, text in {**new_files, **changed_files}.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        print(("wrote   " if path in new_files else "changed ") + path)


def run(make, options):
    """Runs `make(options)`; a refusal becomes a message and exit status 1."""
    try:
        make(options)
    except Refused as refusal:
        print(f"{os.path.basename(sys.argv[0])}: {refusal}", file=sys.stderr)
        return 1
    return 0
