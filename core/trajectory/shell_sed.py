"""Trajectory, shell: the words of a ``sed`` command, GNU or BSD.

In: the words after ``sed``. Out: its expressions, files and whether it edits in place.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.trajectory.shell_runs import UNKNOWN


@dataclass(frozen=True, slots=True)
class SedCommand:
    """``scripts`` are the flags ``-E`` and ``-n`` as given, then the expressions."""

    scripts: tuple[str, ...]
    files: list[str]
    in_place: bool
    suffix: str


def sed_words(words: list[str]) -> SedCommand | None:
    """The parts of a ``sed`` command, GNU or BSD; None when a script is unknown or comes from a file."""
    scripts: list[str] = []
    flags: list[str] = []
    files: list[str] = []
    in_place, suffix, at = False, "", 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in ("-e", "--expression") and at < len(words):
            scripts.append(words[at])
            at += 1
        elif word.startswith("--expression="):
            scripts.append(word.split("=", 1)[1])
        elif word.startswith("--in-place"):
            in_place, suffix = True, word.partition("=")[2]
        elif word in ("-f", "--file") or word.startswith("--file"):
            return None
        elif word in ("--regexp-extended", "--quiet", "--silent"):
            flags.append("-E" if word == "--regexp-extended" else "-n")
        elif word.startswith("-") and len(word) > 1 and not word.startswith("--"):
            letters, found, rest = word[1:].partition("i")
            if set(letters) - set("Ernsue"):
                return None
            flags.extend(
                f for letter, f in (("E", "-E"), ("r", "-E"), ("n", "-n"), ("s", "")) if letter in letters and f
            )
            if found:
                in_place, suffix = True, rest
                bsd = at < len(words) and (words[at] == "" or _is_suffix(words[at], words[at + 1 :]))
                if not rest and bsd:
                    suffix, at = words[at], at + 1
            elif letters.endswith("e") and at < len(words):
                scripts.append(words[at])
                at += 1
        else:
            files.append(word)
    if not scripts and files:
        scripts.append(files.pop(0))
    if not scripts or any(UNKNOWN in script for script in scripts):
        return None
    return SedCommand((*dict.fromkeys(flags), *scripts), files, in_place, suffix)


def _is_suffix(word: str, rest: list[str]) -> bool:
    """BSD's ``sed -i .bak SCRIPT FILE``: a dotted word with a script and a file still to come."""
    return word.startswith(".") and word[1:].isalnum() and len(rest) >= 2
