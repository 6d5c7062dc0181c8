"""The bundled samples are what their script writes, and have what a training step on 4 devices has."""

import os
import re
import subprocess
import tempfile
import unittest

REPOSITORY_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
SAMPLES = os.path.join(REPOSITORY_ROOT, "resources", "samples")
GENERATED = ("transformer_step.hlo", "transformer_step_small.hlo")
COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class SamplesTest(unittest.TestCase):
    def test_samples_are_what_the_script_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.path.join(SAMPLES, "make_samples.sh"), folder], check=True)
            for name in GENERATED:
                same = read(os.path.join(folder, name)) == read(os.path.join(SAMPLES, name))
                self.assertTrue(same, f"{name} differs; run resources/samples/make_samples.sh")

    def test_four_devices_talk_and_one_does_not(self):
        four, one = (read(os.path.join(SAMPLES, name)) for name in GENERATED)
        for opcode in COLLECTIVES:
            self.assertRegex(four, rf" {opcode}\(")
            self.assertNotRegex(one, rf" {opcode}\(")
        self.assertIn("num_partitions=4", four)
        self.assertNotIn("num_partitions", one)

    def test_source_lines_exist(self):
        source_lines = read(os.path.join(SAMPLES, "train_step.py")).splitlines()
        text = read(os.path.join(SAMPLES, "transformer_step.hlo"))
        numbers = {int(n) for n in re.findall(r"source_line=(\d+)", text)}
        self.assertGreater(len(numbers), 40)
        for number in numbers:
            self.assertTrue(source_lines[number - 1].strip(), f"line {number} is blank")

    def test_channel_ids_are_distinct(self):
        channels = re.findall(r"channel_id=(\d+)", read(os.path.join(SAMPLES, "transformer_step.hlo")))
        self.assertEqual(sorted(map(int, channels)), list(range(1, len(channels) + 1)))


if __name__ == "__main__":
    unittest.main()
