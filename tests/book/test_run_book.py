"""What run_book.py takes for the same, and what not: python tests/book/test_run_book.py"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import run_book

SCRIPT = Path(run_book.__file__)


def same(expected, found, tolerance=1e-3):
    return run_book.same_output(expected.splitlines(), found.splitlines(), tolerance)


class Output(unittest.TestCase):
    def test_numbers_to_a_tolerance(self):
        self.assertTrue(same("peak -5.28191 dB", "peak   -5.2819 dB"))
        self.assertFalse(same("peak -5.28 dB", "peak -5.30 dB"))
        self.assertFalse(same("peak -5.28 dB", "peak 5.28 dB"))
        self.assertTrue(same("peak -5.28 dB", "peak -5.30 dB", 0.01))

    def test_rounding_is_not_compared(self):
        self.assertTrue(same("residual 3e-15", "residual 8.1e-12"))
        self.assertFalse(same("residual 3e-15", "residual 8.1e-5"))

    def test_words_are_literal(self):
        self.assertFalse(same("power in W", "power in dB"))
        self.assertFalse(same("a line", "a line more"))
        self.assertFalse(same("check  1  pass", "check  1  FAIL"))

    def test_durations_are_not_compared(self):
        self.assertTrue(same("time 859.8 ms", "time 1.2 s"))
        self.assertFalse(same("size 3 mm", "size 9 mm"))

    def test_lines_left_out(self):
        self.assertTrue(same("a\n...\nd", "a\nb\nc\nd"))
        self.assertTrue(same("...\nd", "d"))
        self.assertFalse(same("a\nd", "a\nb\nd"))
        self.assertFalse(same("a\n...\nx", "a\nb\nd"))
        self.assertFalse(same("a", "a\nb"))


class Pages(unittest.TestCase):
    """Pages that use nothing but Python."""

    def follow(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text(text)
            environment = {**os.environ, "PHASEFRONT": sys.executable}
            done = subprocess.run([sys.executable, SCRIPT, page], env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_files_are_written_and_commands_run(self):
        code, _ = self.follow("```python file=a/hello.py\nprint('x', 2)\n```\n\n```console\n$ python a/hello.py\nx 2\n```\n")
        self.assertEqual(code, 0)

    def test_another_output_fails(self):
        code, words = self.follow("```python file=hello.py\nprint('x', 3)\n```\n\n```console\n$ python hello.py\nx 2\n```\n")
        self.assertEqual(code, 1)
        self.assertIn("-- it prints\nx 3", words)

    def test_the_exit_code_is_compared(self):
        fails = "```python file=fail.py\nimport sys; sys.exit('no')\n```\n\n```console{}\n$ python fail.py\n{}\n```\n"
        self.assertEqual(self.follow(fails.format(" exit=1", "no"))[0], 0)
        self.assertEqual(self.follow(fails.format(" exit=1", "yes"))[0], 1)
        self.assertEqual(self.follow(fails.format("", "no"))[0], 1)

    def test_other_programs_are_refused(self):
        code, words = self.follow("```console\n$ rm -r x\n```\n")
        self.assertEqual(code, 1)
        self.assertIn("only phasefront and python are run", words)

    def test_a_page_without_commands_is_no_success(self):
        self.assertEqual(self.follow("```sh\nphasefront demo\n```\n")[0], 1)


if __name__ == "__main__":
    unittest.main()
