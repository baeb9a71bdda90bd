"""Switches: every one can be set by name, and a wrong one says what it takes."""

import dataclasses

import pytest

from core.errors import OptionError
from core.options import Options, options_as_dict, parse_options


def test_defaults_are_those_of_the_method() -> None:
    assert options_as_dict(Options()) == {
        "module_symbol": True,
        "uses": True,
        "edges": "outgoing",
        "gain": False,
        "checked": True,
        "shown_lines": True,
        "undo": True,
        "dedupe": True,
        "fresh": "own",
        "queries": False,
        "harness": True,
        "thinking": False,
        "batch": 0,
    }


def test_every_switch_says_what_it_does() -> None:
    assert all(f.metadata["says"] for f in dataclasses.fields(Options))


def test_later_pairs_win_and_blanks_are_allowed() -> None:
    options = parse_options(["edges=both", "gain = on", "batch=2000", "gain=off"])
    assert (options.edges, options.gain, options.batch) == ("both", False, 2000)


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        ("nope=1", "KEY one of batch"),
        ("gain", "expected KEY=VALUE"),
        ("gain=maybe", "takes on or off"),
        ("edges=incoming", "takes outgoing or both"),
        ("batch=-1", "whole number"),
        ("batch=²", "whole number"),
    ],
)
def test_a_wrong_switch_says_what_it_takes(pair: str, says: str) -> None:
    with pytest.raises(OptionError, match=says):
        parse_options([pair])
