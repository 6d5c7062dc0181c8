"""What `structure` reads of a C++ file without a compiler: its code without comments and literals, its comment
lines, its functions and the member functions of its classes.

Macros are not expanded, and both sides of an #if are read: figures are for comparing one state of the tree with
another, not exact.
"""

import bisect
import re

COLUMN_LIMIT = 110  # As in .clang-format.

TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""",
    re.S)


def code_of(text):
    """`text` with comments and the contents of literals blanked; lines and columns stay."""

    def blank(match):
        found = match.group(0)
        if found[0] == "'" and match.start() > 0 and (text[match.start() - 1].isalnum()):
            return found  # A digit separator: 1'000'000.
        quote = '"' if found[0] in '"R' else " "
        kept = re.sub(r"[^\n]", " ", found)
        return quote + kept[1:-1] + quote if len(found) > 1 else kept

    return TOKEN.sub(blank, text)


def without_directives(code):
    """Preprocessor lines blanked, those continued by a backslash too."""
    lines, continued = code.split("\n"), False
    for i, line in enumerate(lines):
        if continued or line.lstrip().startswith("#"):
            continued = line.endswith("\\")
            lines[i] = ""
    return "\n".join(lines)


CLASS_HEAD = re.compile(r"\b(class|struct|union)\s+(?:\w+\s+)?((?!final\b)[A-Za-z_]\w*)(?:<[^{};]*>)?\s*(?:final\b\s*)?(?::[^{;]*)?$")
NAMESPACE_HEAD = re.compile(r'(\bnamespace\b[\w:\s]*|extern\s*"[^"]*"\s*)$')
FUNCTION_NAME = re.compile(r"((?:~\s*)?[A-Za-z_]\w*(?:\s*::\s*~?[A-Za-z_]\w*)*|operator\s*[^\s\w(]{1,3}|operator\s*\(\s*\))\s*\(")
NO_FUNCTION = {"if", "for", "while", "switch", "return", "sizeof", "decltype", "alignas", "static_assert", "noexcept"}


def without_templates(head):
    """`head` without what stands between angle brackets."""
    before = None
    while before != head:
        before, head = head, re.sub(r"(?<!operator)(?<!operator<)<[^<>{};]*>", " ", head)
    return head


def declared_function(head):
    """The name of the function that the declaration `head` declares, or None."""
    head = without_templates(re.sub(r"\b(public|private|protected|signals|slots|Q_SIGNALS|Q_SLOTS)\b[\w\s]*:(?!:)", " ", head))
    if re.match(r"\s*(using|friend|typedef|static_assert|enum|return)\b", head):
        return None
    match = FUNCTION_NAME.search(head)
    if match is None:
        return None
    name = re.sub(r"\s", "", match.group(1))
    if name in NO_FUNCTION or re.fullmatch(r"[A-Z][A-Z0-9_]+", name):
        return None
    if "=" in head[: match.start()].replace("operator=", ""):
        return None  # A variable and what it starts with.
    return name


class Source:
    """One file: `functions` as (name, first line, lines), `classes` as {name: number of member functions}."""

    def __init__(self, text):
        self.text = text
        self.lines = text.split("\n")
        if self.lines and self.lines[-1] == "":
            self.lines.pop()
        self.code = without_directives(code_of(text))
        self.functions, self.classes = [], {}
        self._starts = [0] + [m.end() for m in re.finditer("\n", self.code)]
        self._scan(0, None)

    def _line(self, at):
        return bisect.bisect_right(self._starts, at)

    def _closing(self, at):
        """Where the brace opened at `at` is closed."""
        depth = 0
        for match in re.compile("[{}]").finditer(self.code, at):
            depth += 1 if match.group(0) == "{" else -1
            if depth == 0:
                return match.start()
        return len(self.code)

    def _scan(self, at, owner):
        """Reads declarations from `at` to the end of the scope; `owner`: the class it is the body of."""
        head_start, code = at, self.code
        while at < len(code):
            mark = re.compile(r"[{};]").search(code, at)
            if mark is None:
                return len(code)
            head = code[head_start : mark.start()]
            at = mark.end()
            if mark.group(0) == "}":
                return at
            if mark.group(0) == ";":
                self._declared(head, owner)
            else:
                at = self._braced(head, head_start, mark.start(), owner)
                if at < 0:  # A braced value inside a declaration, which goes on behind it.
                    at = -at
                    continue
            head_start = at
        return at

    def _declared(self, head, owner):
        if owner is not None and head.count("(") == head.count(")") and declared_function(head):
            self.classes[owner] += 1

    def _braced(self, head, head_start, brace, owner):
        flat = without_templates(head).strip()
        if NAMESPACE_HEAD.search(flat) and "(" not in flat:
            return self._scan(brace + 1, None)
        named = CLASS_HEAD.search(head.strip())
        if named and not re.search(r"\benum\b", head) and "(" not in head[: named.start()]:
            name = named.group(2)
            self.classes.setdefault(name, 0)
            return self._scan(brace + 1, name)
        end = self._closing(brace)
        name = declared_function(head)
        if name is None or head.count("(") != head.count(")") or re.search(r"[,:=(]\s*\w*\s*$", head.rstrip() + " ") or \
                re.search(r"\)\s*(noexcept\s*)?:[^:]", flat) and not flat.endswith((")", "}")):
            return -(end + 1)
        first = self._line(head_start + len(head) - len(head.lstrip()))
        self.functions.append((name, first, self._line(end) - first + 1))
        if owner is not None:
            self.classes[owner] += 1
        return end + 1


COMMENT = re.compile(r"^(\s*)//(?!/)(.*)$")


def orphans_in(lines):
    """Numbers of the comment lines of one or two short words that a break at the column limit left behind."""
    found = []
    for i in range(1, len(lines)):
        here, before = COMMENT.match(lines[i]), COMMENT.match(lines[i - 1])
        if not here or not before or here.group(1) != before.group(1):
            continue
        words = here.group(2).split()
        if not 1 <= len(words) <= 2 or len(here.group(2).strip()) >= 24 or not before.group(2).strip():
            continue
        if len(lines[i - 1]) + 1 + len(words[0]) > COLUMN_LIMIT:
            found.append(i + 1)
    return found
