"""The loaders, on the files in tests/files."""

import unittest

from app.config import describe, load_config
from app.parser import format_config, parse_config


class LoadersTest(unittest.TestCase):
    def test_load_config(self):
        config = load_config("tests/files/server.json")
        self.assertEqual(config["host"], "localhost")

    def test_describe(self):
        self.assertEqual(describe({"port": 80}), "port  80")

    def test_parse_config(self):
        self.assertEqual(parse_config("tests/files/app.ini")["name"], "walk")

    def test_format_config(self):
        self.assertEqual(format_config({"name": "walk"}), "[app]\nname = walk\n")
