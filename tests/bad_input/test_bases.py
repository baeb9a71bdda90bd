"""Bases that are missing, broken, hostile or of another repository: a reason, or the run's own evidence."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from core.errors import BaseError
from core.replay.base import load_base
from core.trajectory.load import load_bytes
from storage.database import open_engine
from storage.export import list_runs
from storage.ingest import ingest
from tests.bad_input.hostile import FILE, SOURCE, TASK, TEXT, analysed, bash, edit, read
from tests.trajectory.sessions import to_lines

RUN = [TASK, *read("r", FILE, SOURCE, 1), *edit("e", FILE, "return x", "return 2", 2)]
EXPECTED = TEXT.replace("return x", "return 2")
TRAJECTORY = load_bytes("s.jsonl", to_lines(*RUN))


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_engine(tmp_path / "db" / "t.duckdb")


def folder(root: Path, **files: str) -> Path:
    root.mkdir(parents=True)
    for name, text in files.items():
        (root / name.replace("_py", ".py")).write_text(text)
    return root


def test_a_base_that_does_not_match_says_by_how_much_and_the_run_is_believed(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(
        to_lines(TASK, *read("o", FILE.replace("a.py", "b.py"), ["y = 1"], 0.1), *RUN[1:])
    )
    cases = {
        "right": (folder(tmp_path / "right", a_py=TEXT, b_py="y = 1\n"), 2, 2, ""),
        "changed": (
            folder(tmp_path / "changed", a_py=TEXT.replace("import os", "import sys"), b_py="y = 1\n"), 1, 2,
            "1 of 2 first-seen files differ from it; what the run saw is used for them",
        ),
        "other": (
            folder(tmp_path / "other", a_py="to\ndo\n"), 0, 1,
            "1 of 2 first-seen files differ from it and 1 of 2 first-seen files are not in it; "
            "what the run saw is used for them",
        ),
        "empty": (
            folder(tmp_path / "empty"), 0, 0,
            "2 of 2 first-seen files are not in it; what the run saw is used for them",
        ),
    }  # fmt: skip
    for base, matched, compared, note in cases.values():
        (row,) = ingest([tmp_path / "s.jsonl"], engine=engine, base_spec=str(base))
        assert (row["status"], row["writes"]) == ("loaded", 1)
        (stored,) = list_runs(engine)
        assert (stored["base_matched"], stored["base_compared"], stored["base_note"]) == (matched, compared, note)
        (write,) = analysed(*RUN, base=str(base)).replay.writes
        assert (write.before, write.after, write.opaque) == (TEXT, EXPECTED, False)


def test_a_file_the_run_made_itself_is_not_missing_from_the_base(tmp_path: Path) -> None:
    base = folder(tmp_path / "base", a_py=TEXT)
    made = bash("b", "cat > n.py <<'E'\nz = 1\nE", "", 3) + read("c", FILE.replace("a.py", "n.py"), ["z = 1"], 4)
    ignored = read("d", FILE.replace("a.py", "node_modules/m.js"), ["z"], 5)
    info = analysed(*RUN, *made, *ignored, base=str(base)).replay.info
    assert (info.matched, info.compared, info.note) == (1, 1, "")


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("nowhere", "no such folder or archive; give a folder, an archive, git:PATH@REV or none"),
        ("junk.txt", "not a folder and not an archive (.zip, .tar"),
        ("junk.zip", "not a readable archive (File is not a zip file)"),
        ("junk.tar", "not a readable archive (file could not be opened successfully)"),
        ("junk.tgz", "not a readable archive"),
        ("x" * 10_000, "cannot be read (File name too long)"),
        ("\0", "no such folder or archive"),
        ("git:plain", "is not inside a git repository"),
        ("git:nowhere@HEAD", "no folder 'nowhere'; give a work tree"),
        ("git:https://example.invalid/x", "a URL is never fetched; clone it and give the folder"),
        ("git:repo@nope", "no commit 'nope' in repo; give a hash, branch or tag that `git log` there knows"),
        ("git:repo@--help", "no commit '--help' in repo"),
        ("git:repo@HEAD~9", "no commit 'HEAD~9' in repo"),
        ("git:repo@HEAD~99999999999", "no commit"),
        ("git:repo@a\0b", "no commit"),
        ("auto:plain", "is not inside a git repository"),
        ("auto:strange", "no commit of strange matches any of the 1 files the run saw first"),
        ("git:loop", "no commit 'HEAD' in loop"),
        ("git:broken", "is a git repository that cannot be opened"),
        ("git:bare", "no commit 'HEAD' in bare"),
        ("auto:bare", "bare has no commits"),
    ],
)
def test_a_base_that_cannot_be_read_says_why(
    spec: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("junk.txt", "junk.zip", "junk.tar", "junk.tgz"):
        Path(name).write_bytes(b"junk" * 500)
    Path("plain").mkdir()
    repository(Path("repo"), TEXT)
    repository(Path("strange"), "nothing\n")
    repository(Path("loop"), TEXT)
    Path("loop/.git/HEAD").write_text("ref: HEAD\n")
    repository(Path("broken"), TEXT)
    Path("broken/.git/config").write_text("[core\n")
    git(Path("."), "init", "-q", "--bare", "bare")
    with pytest.raises(BaseError) as caught:
        load_base(spec, TRAJECTORY)
    assert why in str(caught.value)
    assert str(caught.value).isprintable()
    assert spec[:100].replace("\0", "\\x00") in str(caught.value) or spec in ("git:broken",)


def git(folder: Path, *words: str) -> None:
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.invalid", *words]
    subprocess.run(command, cwd=folder, env=quiet, check=True, capture_output=True)


def repository(root: Path, text: str) -> Path:
    root.mkdir()
    (root / "a.py").write_text(text)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    return root


def objects(root: Path) -> list[Path]:
    return [path for path in sorted((root / ".git" / "objects").rglob("*")) if path.is_file()]


@pytest.mark.parametrize("damage", [b"", b"junk", None])
def test_a_damaged_repository_is_refused_never_half_read(damage: bytes | None, engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(to_lines(*RUN))
    whole = repository(tmp_path / "whole", TEXT)
    for number, kind in enumerate(("first", "second", "third")):  # blob, tree and commit, in the order of their hashes
        root = tmp_path / kind
        shutil.copytree(whole, root)
        victim = objects(root)[number]
        victim.chmod(0o644)
        data = victim.read_bytes()
        victim.write_bytes(data[: len(data) // 2] if damage is None else damage)
        for spec in (f"git:{root}", f"auto:{root}"):
            (row,) = ingest([tmp_path / "s.jsonl"], engine=engine, base_spec=spec)
            assert row["status"] == "refused"
            assert "a damaged git repository (" in row["error"]
            assert "`git fsck` says what is lost" in row["error"]
    assert list_runs(engine) == []


NAMES = ("../evil.py", "/abs.py", "C:/x.py", "r/../../evil.py", "r\\b.py", "r/.git/config", "r/node_modules/m.js")


def hostile_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name in (*NAMES, "r/a.py"):
            archive.writestr(name, TEXT)
        link = zipfile.ZipInfo("r/link.py")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("r/binary.py", b"\0" * 100)
        archive.writestr("r/big.py", "x" * 2_000_001)


def hostile_tar(path: Path) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in [*((name, TEXT) for name in (*NAMES, "r/a.py")), ("r/big.py", "x" * 2_000_001)]:
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            member = tarfile.TarInfo(f"r/odd{kind.decode()}.py")
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)


@pytest.mark.parametrize("name", ["h.zip", "h.tar.gz"])
def test_a_hostile_archive_gives_its_plain_files_and_writes_nothing(name: str, tmp_path: Path) -> None:
    inner = tmp_path / "in"
    inner.mkdir()
    {"h.zip": hostile_zip, "h.tar.gz": hostile_tar}[name](inner / name)
    assert dict(load_base(str(inner / name), TRAJECTORY).files) == {"a.py": TEXT}
    assert [path.name for path in tmp_path.rglob("*")] == ["in", name]


def test_a_folder_base_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("secret = 1\n")
    base = folder(tmp_path / "base", a_py=TEXT)
    (base / "link.py").symlink_to(tmp_path / "secret.py")
    (base / "up").symlink_to("..")
    os.mkfifo(base / "pipe.py")
    assert dict(load_base(str(base), TRAJECTORY).files) == {"a.py": TEXT}


def test_archives_that_unpack_to_too_much_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(30):
            archive.writestr(f"r/{number}.py", "a\n" * 900_000)
    with tarfile.open(tmp_path / "bomb.tgz", "w:gz") as tar:
        member = tarfile.TarInfo("r/a.bin")
        member.size = 30_000_000
        tar.addfile(member, io.BytesIO(b"\0" * member.size))
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for number in range(200):
            archive.writestr(f"r/{number}.py", "")
    monkeypatch.setattr("core.replay.base.MAX_TOTAL", 20_000_000)
    monkeypatch.setattr("core.replay.base.MAX_PASSED", 20_000_000)
    monkeypatch.setattr("core.replay.base.MAX_MEMBERS", 100)
    for name in ("bomb.zip", "bomb.tgz", "many.zip"):
        with pytest.raises(BaseError, match="unpacks to more than 20 MB or 100 files"):
            load_base(str(tmp_path / name), TRAJECTORY)


def test_a_flipped_byte_in_an_archive_is_an_error_of_the_archive(tmp_path: Path) -> None:
    def archive(method: int) -> bytes:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", method) as out:
            out.writestr("r/a.py", TEXT * 20)
        return made.getvalue()

    def tar(mode: Any) -> bytes:
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode=mode) as out:
            member = tarfile.TarInfo("r/a.py")
            member.size = len(TEXT)
            out.addfile(member, io.BytesIO(TEXT.encode()))
        return made.getvalue()

    for name, data in {
        "lzma.zip": archive(zipfile.ZIP_LZMA), "bz.zip": archive(zipfile.ZIP_BZIP2), "z.zip": archive(8),
        "x.tar.xz": tar("w:xz"), "x.tar.bz2": tar("w:bz2"), "x.tgz": tar("w:gz"), "x.tar": tar("w"),
    }.items():  # fmt: skip
        for at in range(0, len(data), max(1, len(data) // 60)):
            (tmp_path / name).write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
            with suppress(BaseError):  # any other exception fails
                load_base(str(tmp_path / name), TRAJECTORY)
