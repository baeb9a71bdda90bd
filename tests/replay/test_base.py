"""Bases: folders, archives and commits, and everything in them that must not be followed."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
from dulwich import porcelain
from dulwich.repo import Repo

from core.errors import BaseError
from core.replay.base import load_base
from core.replay.base_git import split_spec
from core.replay.evidence import first_sights
from core.replay.replay import replay
from tests.replay.runs import edit, read, run, say

RUN = run(say("hello"))
WHO = b"x <x@example.com>"


def commit(root: Path, files: dict[str, str], when: int) -> str:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    repo = Repo(str(root))
    porcelain.add(repo, [str(root / name) for name in files])
    sha = porcelain.commit(
        repo,
        b"m",
        author=WHO,
        committer=WHO,
        commit_timestamp=when,
        commit_timezone=0,
        author_timestamp=when,
        author_timezone=0,
    )
    repo.close()
    return sha.decode()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    root = tmp_path_factory.mktemp("git") / "work@home"
    root.mkdir()
    porcelain.init(str(root)).close()
    shas = [
        commit(root, {"a.py": "one\n", "pkg/b.py": "b1\n"}, 1_700_000_000),
        commit(root, {"a.py": "two\n", "pkg/c.py": "c\n"}, 1_700_000_100),
        commit(root, {"a.py": "three\n", "pkg/b.py": "b3\n"}, 1_700_000_200),
    ]
    repo = Repo(str(root))
    porcelain.tag_create(
        repo, b"v1", author=WHO, message=b"t", annotated=True, objectish=shas[0].encode(), tag_time=1, tag_timezone=0
    )
    repo.close()
    return root, shas


def test_a_folder_without_what_is_not_its_source(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("secret")
    root = tmp_path / "r"
    for name in ("a.py", "sub/b.py", ".git/HEAD", "node_modules/x.js", ".venv/y.py", "deep/.venv/z.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "binary").write_bytes(b"a\0b")
    (root / "large").write_bytes(b"x" * 2_000_001)
    (root / "latin").write_bytes(b"caf\xe9\n")
    os.symlink(outside, root / "link")
    os.symlink(tmp_path, root / "up")
    base = load_base(str(root), RUN)
    assert dict(base.files) == {"a.py": "a.py", "sub/b.py": "sub/b.py", "latin": "caf\ufffd\n"}
    assert ("binary" in base.files, base.files.get("link"), base.complete) == (False, None, True)


def test_an_archive_with_one_top_folder(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("top/a.py", "a\n")
        archive.writestr("top/sub/b.py", "b\n")
    assert dict(load_base(str(path), RUN).files) == {"a.py": "a\n", "sub/b.py": "b\n"}


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_hostile_members_are_ignored(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.{suffix}"
    names = ["ok.py", "../up.py", "/abs.py", "a/../../b.py", "C:/w.py", "sub\\..\\w.py", "./dot.py", "other/ok.py"]
    if suffix == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, "x\n")
            link = zipfile.ZipInfo("link")
            link.external_attr = 0o120777 << 16
            archive.writestr(link, "/etc/passwd")
    else:
        with tarfile.open(path, "w:gz") as tar:
            for name in names:
                info = tarfile.TarInfo(name)
                info.size = 2
                tar.addfile(info, io.BytesIO(b"x\n"))
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
                info = tarfile.TarInfo(f"link{kind!r}")
                info.type, info.linkname = kind, "/etc/passwd"
                tar.addfile(info)
    assert sorted(load_base(str(path), RUN).files) == ["dot.py", "ok.py", "other/ok.py"]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("/no/such/place", "no such folder or archive"),
        ("git:https://example.com/x.git@main", "a URL is never fetched"),
        ("git:git@example.com:x.git", "a URL is never fetched"),
        ("git:/no/such/place@main", "no folder"),
    ],
)
def test_what_cannot_be_read_says_why_and_what_to_do(spec: str, says: str) -> None:
    with pytest.raises(BaseError, match=says):
        load_base(spec, RUN)


def test_a_broken_archive_and_a_plain_file_are_refused(tmp_path: Path) -> None:
    for name, says in (
        ("x.zip", "not a readable archive"),
        ("x.tar", "not a readable archive"),
        ("x.txt", "not a folder"),
    ):
        (tmp_path / name).write_text("no archive")
        with pytest.raises(BaseError, match=says):
            load_base(str(tmp_path / name), RUN)
    with pytest.raises(BaseError, match="not inside a git repository"):
        load_base(f"git:{tmp_path}", RUN)


@pytest.mark.parametrize(
    ("rest", "parts"),
    [
        ("/a/b@main", ("/a/b", "main")),
        ("/a@b/c", ("/a", "b/c")),
        ("/a/b", ("/a/b", "HEAD")),
        ("/a@b@HEAD~2", ("/a@b", "HEAD~2")),
        ("/a@b@{1}", ("/a", "b@{1}")),
        ("/a/b@", ("/a/b", "HEAD")),
    ],
)
def test_specs_are_split_at_the_last_at_sign_no_brace_follows(rest: str, parts: tuple[str, str]) -> None:
    assert split_spec(rest) == parts


def test_commits_by_every_kind_of_name(repository: tuple[Path, list[str]]) -> None:
    root, shas = repository
    by_text = {
        "one\n": ["HEAD~2", "HEAD^^", "HEAD~1^", "v1", "refs/tags/v1"],
        "two\n": ["HEAD~1", "HEAD^", shas[1], shas[1][:7]],
        "three\n": ["HEAD", "master"],
    }
    names = {name: text for text, group in by_text.items() for name in group}
    for name, text in names.items():
        assert load_base(f"git:{root}@{name}", RUN).files["a.py"] == text, name
    for name in ("nothing", "HEAD~9", "HEAD^2", "0" * 40, "zzzz", "HEAD@{1}"):
        with pytest.raises(BaseError):
            load_base(f"git:{root}@{name}", RUN)


def test_no_revision_is_head_and_a_folder_inside_is_a_base_of_its_own(repository: tuple[Path, list[str]]) -> None:
    root, _ = repository
    assert dict(load_base(f"git:{root}@HEAD", RUN).files) == {"a.py": "three\n", "pkg/b.py": "b3\n", "pkg/c.py": "c\n"}
    assert dict(load_base(f"git:{root}/pkg@v1", RUN).files) == {"b.py": "b1\n"}
    assert dict(load_base(f"git:{root}/.git@HEAD", RUN).files)["a.py"] == "three\n"  # read as a bare directory


def test_auto_finds_the_commit_the_run_saw(repository: tuple[Path, list[str]]) -> None:
    root, shas = repository
    steps = (read("a.py", "two\n"), edit("a.py", "two", "2"), read("pkg/b.py", "b1\n"), read("a.py", "2\n"))
    base = load_base(f"auto:{root}", run(*steps))
    assert (base.label, base.matched, base.compared) == (
        f"commit {shas[1][:12]}, matches 2 of 2 first-seen files",
        2,
        2,
    )
    result = replay(run(*steps), base)
    assert (result.fidelity, result.info.matched) == (1.0, 2)
    part = run(read("pkg/b.py", "b3\n", whole=False))
    assert load_base(f"auto:{root}", part).label.startswith(f"commit {shas[2][:12]}")
    with pytest.raises(BaseError, match="matches any of the 1 files"):
        load_base(f"auto:{root}", run(read("a.py", "never\n")))


def test_the_longest_early_view_of_a_file_is_the_evidence() -> None:
    steps = (
        read("a.py", "def f():\n", start=3, whole=False, source="search"),
        read("a.py", "def f():\n    return 1\n", start=3, whole=False),
        read("a.py", "    return 1\n", start=4, whole=False),
        edit("a.py", "1", "2"),
        read("a.py", "import os\n\ndef f():\n    return 2\n", whole=False),
    )
    (sight,) = first_sights(run(*steps))
    assert sight.lines == ("def f():", "    return 1")
    (whole,) = first_sights(run(read("a.py", "x\n"), read("a.py", "x\ny\nz\n", whole=False)))
    assert (whole.whole, whole.lines) == (True, ("x",))


def test_earlier_commits_can_be_checked_out(repository: tuple[Path, list[str]]) -> None:
    from tests.replay.runs import shell

    root, shas = repository
    steps = (shell(f"git checkout {shas[0][:8]} -- a.py"), shell("git checkout HEAD~1 -- pkg/b.py"))
    result = replay(run(*steps), load_base(f"git:{root}@HEAD", RUN))
    assert [(w.path, w.after) for w in result.writes] == [("a.py", "one\n"), ("pkg/b.py", "b1\n")]
