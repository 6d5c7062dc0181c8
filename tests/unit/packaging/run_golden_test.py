"""The golden runner, run against a stand-in for `hilo` that prints what it is told."""

import os
import subprocess
import sys
import tempfile
import unittest

REPOSITORY_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
RUNNER = os.path.join(REPOSITORY_ROOT, "tests", "golden", "run_golden.py")

# upper FILE: the file in capitals. fail FILE: complains on stderr with the path, and exits with 1.
STAND_IN = f"""#!{sys.executable}
import sys
command, path = sys.argv[1:]
if command == "upper":
    print(open(path).readlines()[-1].upper(), end="")
elif command == "fail":
    print(path + ":2:1: bad", file=sys.stderr)
    sys.exit(1)
"""


class RunGoldenTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.hilo = self.write("hilo", STAND_IN)
        os.chmod(self.hilo, 0o755)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_golden(self, path, *options):
        return subprocess.run([sys.executable, RUNNER, "--hilo", self.hilo, *options, path],
                              capture_output=True, text=True, check=False)

    def test_agreement_passes(self):
        path = self.write("a.hlo", "// RUN: hilo upper %s\nabc\n// ----- expected\nABC\n")
        done = self.run_golden(path)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 golden files: 1 ok", done.stdout)

    def test_difference_fails_and_shows_the_lines(self):
        path = self.write("a.hlo", "// RUN: hilo upper %s\nabc\n// ----- expected\nABD\n")
        done = self.run_golden(path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("-ABD\n+ABC\n", done.stdout)

    def test_missing_expected_part_fails(self):
        path = self.write("a.hlo", "// RUN: hilo upper %s\nabc\n")
        self.assertEqual(self.run_golden(path).returncode, 1)

    def test_exit_code_and_case_name_in_messages(self):
        text = "// RUN: hilo fail %s\n// EXIT: 1\n// ----- expected\na.hlo:2:1: bad\n"
        done = self.run_golden(self.write("a.hlo", text))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_unexpected_exit_code_fails_even_when_updating(self):
        path = self.write("a.hlo", "// RUN: hilo fail %s\n// ----- expected\na.hlo:2:1: bad\n")
        done = self.run_golden(path, "--update")
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit 1, expected 0", done.stdout)

    def test_update_rewrites_only_the_expected_part(self):
        path = self.write("a.txt", "# RUN: hilo upper %s\n# RUN: hilo upper %s\nabc\n# ----- expected\nold\n")
        self.assertEqual(self.run_golden(path, "--update").returncode, 0)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text, "# RUN: hilo upper %s\n# RUN: hilo upper %s\nabc\n# ----- expected\nABC\nABC\n")
        self.assertEqual(self.run_golden(path).returncode, 0)

    def test_malformed_files_are_refused(self):
        for text in ("abc\n", "// RUN: rm %s\n", "// EXIT: 1\n// RUN: hilo upper %s\n"):
            self.assertEqual(self.run_golden(self.write("a.hlo", text)).returncode, 2, text)


if __name__ == "__main__":
    unittest.main()
