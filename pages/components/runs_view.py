"""The runs page: the form that loads, the groups, and what can be done with the runs that are chosen."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from core.analysis import ANALYSIS_VERSION
from core.errors import InputError
from pages.components import data, first_run, jobs, settings, state, tables, words
from storage.given import read_given, typed_path
from storage.instances import Instance, read_instances
from storage.place import DEFAULT_PATH, locate
from storage.queries import Row
from storage.save import delete_run, set_tags

CLAUDE = Path("~/.claude/projects")
CONFIG = {
    "repository": tables.text("repository", width=120),
    "agent": tables.text("agent", width=120),
    "model": tables.text("model", width=120),
    "tags": tables.text("tags", width=96),
    "steps": tables.number("steps", width=52),
    "writes": tables.number("writes", width=52),
    "points": tables.number("points", "Decision points", 52),
    "held": tables.number("held", "Tokens held at the end", 62),
    "stale": tables.text("stale", "Share of the tokens held at the end that is falsified", 56),
    "fidelity": tables.text("fidelity", "Shown lines equal to the replayed file", 60),
    "lines": tables.text("not understood", "Transcript lines that could not be used", 104),
    "base": tables.text("base", "The repository the run started from", 124),
    "version": tables.text("version", "Version of the analysis", 60),
    "run": tables.text("run", width=124),
}


def table(runs: list[Row]) -> pd.DataFrame:
    """Runs as people read them; text cells so that n/a can stand where a ratio is undefined."""
    return pd.DataFrame(
        [
            {
                "repository": words.clip(r["repository"], 40),
                "agent": words.clip(r["agent"], 40),
                "model": words.clip(", ".join(r["models"] or ()), 60),
                "tags": words.clip(", ".join(f"{k}={v}" if v else k for k, v in r["tags"].items()), 80),
                "steps": r["steps"],
                "writes": r["writes"],
                "points": r["decision_points"],
                "held": r["held_end"],
                "stale": words.share(r["stale_end"], r["held_end"]),
                "fidelity": words.fraction(r["fidelity"]),
                "lines": f"{words.count(r['skipped_lines'])} of {words.count(r['lines'])}",
                "base": words.tail(r["base_label"] or "none", 40),
                "version": f"{r['analysis_version']}"
                if r["analysis_version"] == ANALYSIS_VERSION
                else f"⚠ {r['analysis_version']} old",
                "run": words.clip(r["run_id"], 60),
            }
            for r in runs
        ],
        columns=list(CONFIG),
    )


def answer(runs: list[Row]) -> str:
    """How much of what the runs held at the end was false, in one sentence (markdown)."""
    held, stale = (sum(r[name] or 0 for r in runs) for name in ("held_end", "stale_end"))
    who = "This run" if len(runs) == 1 else f"These {words.plural(len(runs), 'run')}"
    return (
        f"{who} held **{words.count(held)}** tokens at the end; **{words.share(stale, held)}** of them "
        f"({words.count(stale)}) had been made false by the agent's own later writes."
    )


def loader(first: bool, samples: bool) -> None:
    """Load from a path, from Claude Code's own folder, or by upload; base and patch are optional and can come later.

    ``samples``: the sample runs are offered here too.
    """
    with st.expander("Load runs", icon=":material/upload_file:", expanded=first):
        left, right = st.columns([1.3, 1], gap="medium")
        with left:
            path = st.text_input(
                "Transcript file or folder on this machine",
                key="load_path",
                placeholder="/path/to/session.jsonl, or a folder of them",
            )
            files = st.file_uploader(
                "or upload transcripts",
                accept_multiple_files=True,
                key="load_files",
                type=["jsonl", "json", "ndjson", "traj"],
            )
        with right:
            base = st.text_input(
                "Base repository (optional)",
                key="load_base",
                placeholder="folder, archive, git:PATH@REV, auto:PATH",
                help="What the run started from: a folder, an archive, a git commit, or the commit whose files match "
                "what the run saw first (auto). Without it the run's own reads stand in; it can be added later.",
            )
            patch = st.text_input(
                "Reference patch (optional)",
                key="load_patch",
                placeholder="/path/to/reference.patch",
                help="The change that solves the task: it tells what each edit needed. Without it the run's own next "
                "edit tells that.",
            )
            instances = st.text_input(
                "Instances file (optional)",
                key="load_instances",
                placeholder="SWE-bench style .json or .jsonl",
                help="Gives each run its patch and base commit by instance id",
            )
        with st.container(horizontal=True, vertical_alignment="center"):
            go = st.button("Load", type="primary", disabled=jobs.busy(), key="load_go", icon=":material/play_arrow:")
            found = CLAUDE.expanduser().is_dir()
            mine = st.button(
                "Load ~/.claude/projects",
                disabled=jobs.busy() or not found,
                key="load_claude",
                icon=":material/folder:",
                help="Every recorded Claude Code session of this machine"
                if found
                else "There is no such folder on this machine",
            )
            if samples:
                first_run.button()
        if go or mine:
            begin(CLAUDE.expanduser() if mine else None, path, files or [], base, patch, instances)


def begin(folder: Path | None, path: str, files: Sequence[object], base: str, patch: str, instances: str) -> None:
    """Check what was given and start loading."""
    try:
        paths = [folder] if folder else ([typed_path(path)] if path.strip() else [])
        paths += [keep_upload(f) for f in files] if not folder else []
    except InputError as error:
        st.error(words.markdown(error))
        return
    if not paths:
        st.warning("Name a file or a folder, or upload a transcript.")
        return
    missing = [p for p in paths if not p.exists()]
    if missing:
        st.error(f"{words.markdown(missing[0])}: there is no such file or folder on this machine.")
        return
    try:
        text = read_patch(patch)
        known: dict[str, Instance] = read_instances(typed_path(instances)) if instances.strip() else {}
    except InputError as error:
        st.error(words.markdown(error))
        return
    load = jobs.Load(tuple(paths), base_spec=base.strip() or "none", patch=text, instances=known)
    if jobs.start("Loading runs", [load]):
        st.rerun()


def read_patch(given: str) -> str | None:
    """The text of a patch file; InputError when it cannot be read."""
    if not given.strip():
        return None
    return read_given(typed_path(given)).decode("utf-8", "replace")


def keep_upload(file: object) -> Path:
    """An uploaded transcript, kept beside the database so that its run can be analysed again.

    Another file of the same name is kept too. Raises InputError when it cannot be kept.
    """
    url = locate()
    beside = Path(url.database or "").parent if url.get_backend_name() == "duckdb" else DEFAULT_PATH.parent
    folder = beside / "uploads"
    name = Path(
        re.sub(r"[^A-Za-z0-9._-]+", "_", Path(str(getattr(file, "name", ""))).name).lstrip(".") or "upload.jsonl"
    )
    data = file.getvalue()  # type: ignore[attr-defined]
    target = folder / f"{name.stem[:100]}-{hashlib.sha256(data).hexdigest()[:8]}{name.suffix[:20]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    except OSError as error:
        raise InputError(f"{target}: cannot be kept ({error.strerror})") from error
    return target


def groups(runs: list[Row]) -> None:
    """The shown runs summed by a tag, the repository, the agent or the model."""
    names = sorted({tag for r in runs for tag in r["tags"]})
    by = st.session_state.get("group_by")
    if not by:
        return

    def group_of(r: Row) -> str:
        if by in names:
            return str(r["tags"].get(by, "(none)") or "yes")
        return {"model": ", ".join(r["models"] or ())}.get(by, str(r.get(by) or "(none)"))

    rows: dict[str, list[Row]] = {}
    for r in runs:
        rows.setdefault(group_of(r), []).append(r)

    def total(some: list[Row], name: str) -> int:
        return sum(r[name] or 0 for r in some)

    frame = pd.DataFrame(
        [
            {
                "group": words.clip(name, 80),
                "runs": len(some),
                "steps": total(some, "steps"),
                "writes": total(some, "writes"),
                "points": total(some, "decision_points"),
                "held": total(some, "held_end"),
                "stale": words.share(total(some, "stale_end"), total(some, "held_end")),
                "fidelity": words.share(total(some, "equal_lines"), total(some, "compared_lines")),
            }
            for name, some in sorted(rows.items())
        ]
    )
    config = {
        "group": tables.text(str(by), width=240),
        "runs": tables.number("runs"),
        **{k: CONFIG[k] for k in ("steps", "writes", "points", "held", "stale", "fidelity")},
    }
    tables.show(frame, config, key="groups", height=240, alt="Runs by group")


def chosen(runs: list[Row]) -> None:
    """What can be done with the chosen runs."""
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            name = (
                words.markdown(words.clip(runs[0]["run_id"], 60)) if len(runs) == 1 else words.plural(len(runs), "run")
            )
            st.markdown(f"**{name}**", width="stretch")
            if len(runs) == 1:
                state.go(
                    "run",
                    "Open",
                    ":material/stacked_line_chart:",
                    run=runs[0]["run_id"],
                    t=None,
                    record=None,
                    symbol=None,
                    point=None,
                )
            if st.button(
                "Analyse again", icon=":material/refresh:", disabled=jobs.busy(), key="again"
            ) and settings.analyse_again(runs):
                st.rerun()
            if st.button("Delete", icon=":material/delete:", disabled=jobs.busy(), key="delete"):
                confirm(runs)
        tag_form(runs)
        if len(runs) == 1:
            evidence_form(runs[0])


def tag_form(runs: list[Row]) -> None:
    """Tags as ``benchmark=swe-evo, arm=tape, resolved``."""
    shared = runs[0]["tags"] if len(runs) == 1 else {}
    now = ", ".join(f"{k}={v}" if v else k for k, v in shared.items())
    with st.form("tags", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        label = "Tags" if len(runs) == 1 else f"Tags to add to {len(runs)} runs"
        said = st.text_input(
            label,
            now,
            placeholder="benchmark=swe-evo, arm=tape, resolved=yes",
            key=f"tags_of_{runs[0]['run_id']}_{len(runs)}",
        )
        if st.form_submit_button("Save tags"):
            parts = [part.strip().partition("=") for part in said.split(",") if part.strip()]
            given = {k.strip(): v.strip() for k, _, v in parts}
            for run in runs:
                set_tags(data.engine(), run["run_id"], given if len(runs) == 1 else {**run["tags"], **given})
            st.rerun()


def evidence_form(run: Row) -> None:
    """Base and patch given later: the run is analysed again."""
    with st.form("evidence", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        base = st.text_input(
            "Base",
            run["base_spec"] or "none",
            key=f"base_of_{run['run_id']}",
            help="folder, archive, git:PATH@REV, auto:PATH, none",
        )
        has = "a patch is stored; name another to replace it" if run["has_patch"] else "/path/to/reference.patch"
        patch = st.text_input("Reference patch", "", placeholder=has, key=f"patch_of_{run['run_id']}")
        if st.form_submit_button("Analyse with these", disabled=jobs.busy()):
            text = read_patch(patch)
            if settings.analyse_again([run], base_spec=base.strip() or "none", patch=text):
                st.rerun()


@st.dialog("Delete runs?")
def confirm(runs: list[Row]) -> None:
    """Nothing is deleted without a second click; transcripts on disk are never touched."""
    st.markdown(
        f"{words.plural(len(runs), 'run')} and all results computed for "
        f"{'it' if len(runs) == 1 else 'them'} leave the database:"
    )
    for run in runs[:8]:
        st.markdown(f"- {words.markdown(words.clip(run['run_id'], 70))} ({words.plural(run['steps'], 'step')})")
    if len(runs) > 8:
        st.markdown(f"- and {len(runs) - 8} more")
    st.caption("The transcripts on disk stay where they are.")
    with st.container(horizontal=True):
        if st.button("Delete", type="primary", key="delete_really"):
            for run in runs:
                delete_run(data.engine(), run["run_id"])
            st.session_state["runs_deleted"] = st.session_state.get("runs_deleted", 0) + 1
            st.rerun()
        if st.button("Keep", key="delete_not"):
            st.rerun()
