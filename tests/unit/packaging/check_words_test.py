"""The check of words must find an old phrase in a literal, across joined literals, and nowhere else."""

import os
import subprocess
import sys
import tempfile
import unittest

REPOSITORY_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
CHECK = os.path.join(REPOSITORY_ROOT, "packaging", "dev", "check_words.py")

# One or more phrases of every row of what puzzled users, as the program once said them.
OLD = """no order is under %1|exposed, beside work|Between them stand 25 instructions|place %1 of %2|Start right after %1
Wait no sooner than %1 needs it|It may come as late as|What decided?|Hold it here|What it takes...|the longest chain
A with B|whose order the shown side has|further iterations left out|most in use|never in use %1|Heap ends|reaches to %1
free below it|Plans differ|lies on %1|Working out where the values lie|shares its bytes with|live, in the schedule
layout: where each element lies|guess|guessed time|hazards|reads what the other wrote|of no instruction that can be told
Which bytes it reads and writes is not known|one after the other|compiled as it stands for %1|made-up values|no race
Measure|Compile here|parts from %1|least|most|Nothing was run yet|leaf|off / moved|Holds the difference against
They differ by no more than rounding|off 0.01 times as far as moving|How sure that is takes six samples|draws 2
Taken in turns, the second takes|against reference|%1 times|Stop|way|Try again|quicker beyond doubt|Alike|Number|%1 same
in another place of the order|the module is as it was|no longer in this module|in the module as it was read|flops a byte
flops, with loops|how many|custom calls count no flops|what the areas stand for|not grouped|Focus on what is around
What it depends on|Facts beside the text|File of the dump|Opened lately|Bookmark what is selected|Entry's root
Leave the focus|not dumped: %1|in the order of their lists|no buffer assignment of XLA's with this module|Judge the copies
Look at the schedule|Join source lines|Writes products by a stated algorithm|product-chain-fusion|library-products
extremum-place-splitter|doubled and repacked values|Makes one operation again of starts|text of no known kind"""


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

    def test_knows_every_phrase_that_puzzled(self):
        phrases = OLD.replace("\n", "|").split("|")
        _, lines = self.check("".join(f'auto s = "{phrase}";\n' for phrase in phrases))
        found = {int(line.split(":")[1]) for line in lines}
        self.assertEqual([phrase for at, phrase in enumerate(phrases, 1) if at not in found], [])

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
