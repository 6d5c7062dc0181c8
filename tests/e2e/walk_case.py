"""What tests of the walks share: the program, a folder for each test, what a command prints.

A file of such tests ends with `main()` and is called as FILE HILO [unittest options].
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Walk(unittest.TestCase):
    HILO = None  # the path of the program

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = dict(os.environ, HOME=self.folder, XDG_DATA_HOME=self.folder, XDG_CACHE_HOME=self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def hilo(self, *arguments, status=0):
        """Standard output; what went to standard error is in self.told."""
        done = subprocess.run([self.HILO, *arguments], capture_output=True, text=True, env=self.environment,
                              timeout=120, check=False)
        self.told = done.stderr
        self.assertEqual(done.returncode, status, f"{' '.join(arguments)}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def json(self, *arguments, status=0):
        return json.loads(self.hilo(*arguments, "--json", status=status))


def main():
    Walk.HILO = os.path.abspath(sys.argv.pop(1))
    unittest.main()
