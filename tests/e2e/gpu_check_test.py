#!/usr/bin/env python3
"""The folder that packaging/dev/gpu-check makes: its size, what is in it, and what it says where there is no GPU.

usage: gpu_check_test.py [unittest options]
"""

import glob
import json
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULES = os.path.join(ROOT, "packaging", "dev", "gpu_check")
MOST_BYTES = 60 * 1000 * 1000
GLIBC = ("libc", "libm", "libdl", "libpthread", "librt", "ld-linux-x86-64", "linux-vdso")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


class GpuCheck(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = os.path.join(cls.scratch.name, "check")
        made = run(os.path.join(ROOT, "packaging", "dev", "gpu-check"), "--built", cls.folder)
        assert made.returncode == 0, made.stdout + made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def test_is_small_and_has_all_modules(self):
        files = [os.path.join(at, name) for at, _, names in os.walk(self.folder) for name in names]
        self.assertLess(sum(os.path.getsize(file) for file in files), MOST_BYTES)
        names = [os.path.basename(file)[: -len(".hlo")] for file in glob.glob(os.path.join(MODULES, "*.hlo"))]
        self.assertGreater(len(names), 4)
        for name in names:
            for end in (".hlo", ".program", ".processor"):
                self.assertTrue(os.path.getsize(self.path("modules", name + end)) > 0, name + end)

    def test_needs_no_library_but_glibc_and_its_own(self):
        for program in glob.glob(self.path("bin", "*")):
            for line in run("ldd", program).stdout.splitlines():
                name = os.path.basename(line.split()[0])
                own = os.path.exists(self.path("lib", name))
                self.assertTrue(own or name.split(".")[0] in GLIBC, f"{program} needs {name}")

    def test_says_what_a_gpu_gives_or_why_there_is_none(self):
        results = self.path("results.json")
        checked = run(self.path("check"), results)
        if checked.returncode == 3:
            self.assertIn("check: no GPU: ", checked.stderr)
            self.assertFalse(os.path.exists(results))
            return
        self.assertEqual(checked.returncode, 0, checked.stderr)
        with open(results, encoding="utf-8") as file:
            self.assertTrue(all(module["status"] == 0 for module in json.load(file)["modules"]))


if __name__ == "__main__":
    unittest.main()
