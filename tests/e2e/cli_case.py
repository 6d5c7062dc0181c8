"""What tests of the command line share: the program, files of its own for each test, some modules.

A file of such tests ends with `main(__doc__)` and is called as FILE HILO [unittest options].
"""

import os
import struct
import subprocess
import sys
import tempfile
import unittest

GOOD = """HloModule good

ENTRY main {
  a = f32[4] parameter(0)
  b = f32[4] multiply(a, a)
  ROOT c = f32[4] add(b, a)
}
"""
CUSTOM = GOOD.replace("multiply(a, a)", 'custom-call(a), custom_call_target="mystery"')
ON_TWO_DEVICES = """HloModule sum_of_two, num_partitions=2

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
}
"""


class CliTest(unittest.TestCase):
    HILO = None  # the path of the program

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hilo_cli.")
        self.addCleanup(self.folder.cleanup)

    def file(self, text, name="m.hlo"):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def npy(self, values, name):
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
        header += " " * (117 - len(header)) + "\n"
        return self.file(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                         struct.pack(f"<{len(values)}f", *values), name)

    def hilo(self, *arguments, stdin=b"", code=0):
        environment = dict(os.environ, XDG_DATA_HOME=self.folder.name)
        done = subprocess.run([self.HILO, *arguments], input=stdin, capture_output=True, timeout=60, env=environment)
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, f"{arguments}\nstdout: {out}\nstderr: {err}")
        return out, err


def main(usage):
    if len(sys.argv) < 2:
        sys.exit(usage)
    CliTest.HILO = os.path.abspath(sys.argv.pop(1))
    unittest.main()
