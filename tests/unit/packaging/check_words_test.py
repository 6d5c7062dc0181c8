"""The check of words must find an old phrase in a literal, across joined literals, and nowhere else."""

import os
import subprocess
import sys
import tempfile
import unittest

REPOSITORY_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
CHECK = os.path.join(REPOSITORY_ROOT, "packaging", "dev", "check_words.py")


class CheckWordsTest(unittest.TestCase):
    def check(self, text, path="ui/views/some_view.cpp"):
        with tempfile.TemporaryDirectory() as root:
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full))
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()[:-1]

    def test_finds_a_phrase_with_its_place_and_the_usual_word(self):
        status, lines = self.check('int a;\nauto s = "it is on the longest chain of all";\n')
        self.assertEqual(status, 1)
        self.assertEqual(lines, ["ui/views/some_view.cpp:2: 'longest chain': say 'critical path'"])

    def test_joins_neighbouring_literals(self):
        status, lines = self.check('auto s = "No order is "\n         "not dumped";\nauto t = "not "\n  "dumped";\n')
        self.assertEqual(status, 1)
        self.assertEqual([line.split(":")[1] for line in lines], ["1", "3"])

    def test_comments_includes_and_other_rooms_are_not_read(self):
        text = '#include "ui/made-up.h"\n// made-up\n/* "made-up" */ char c = \'"\';\n'
        self.assertEqual(self.check(text), (0, []))
        self.assertEqual(self.check('auto s = "made-up";\n', "core/hlo/text/lexer.cpp"), (0, []))


if __name__ == "__main__":
    unittest.main()
