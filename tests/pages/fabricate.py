"""Made-up runs, written straight into the tables: what the page tests and the speed checks look at.

The numbers agree with each other (held sums, statuses, nominations, points), the code is real text, but
nothing here is computed by the pipeline: a page must show whatever the tables say.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from typing import Any

import pandas as pd
from sqlalchemy.engine import Engine

from core.analysis import ANALYSIS_VERSION
from core.options import Options
from storage import schema
from storage.database import writing

HOSTILE = (
    "<script>window.pwned=1</script><img src=x onerror='window.pwned=1'> **bold** $x^2$ "
    ":material/home: [a](http://evil.example) `"
)
VERBS = ("load", "save", "parse", "render", "merge", "check", "walk", "index", "fetch", "apply")


def _tokens(text: str) -> int:
    return max(1, len(text) // 4)


@dataclass
class _Rec:
    id: str
    kind: str
    born: int
    tokens: int
    path: str | None = None
    names: tuple[str, ...] = ()
    stale: bool = False


@dataclass
class _Run:
    run_id: str
    rng: random.Random
    odd: str
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    blobs: dict[str, str] = field(default_factory=dict)

    def blob(self, text: str) -> str:
        key = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        self.blobs[key] = text
        return key

    def add(self, table: str, **row: Any) -> None:
        self.rows[table].append({"run_id": self.run_id, **row})


def fabricate(
    engine: Engine,
    run_id: str,
    steps: int = 364,
    *,
    seed: int = 7,
    hostile: bool = False,
    writes: bool = True,
    gold: str = "hindsight",
) -> None:
    """Fill every table with one plausible run of ``steps`` steps; ``hostile`` puts markup in every text."""
    run = _Run(run_id, random.Random(seed), HOSTILE if hostile else "")
    _simulate(run, steps, writes, gold)
    store(engine, run)


def store(engine: Engine, run: _Run) -> None:
    """Insert the rows with one bulk statement a table."""
    blobs = pd.DataFrame([{"hash": h, "text": t, "tokens": _tokens(t)} for h, t in run.blobs.items()])
    with writing(engine) as connection:
        raw = connection.connection.driver_connection
        known = {row[0] for row in raw.execute("select hash from blobs").fetchall()}
        frames = {name: pd.DataFrame(rows) for name, rows in run.rows.items()}
        frames["blobs"] = blobs[~blobs["hash"].isin(known)]
        for name, frame in frames.items():
            table = schema.metadata.tables[name]
            frame = frame.astype(object).where(frame.notna(), None)
            for column in frame.columns:
                if str(table.c[column].type) in {"INTEGER", "BIGINT"}:
                    frame[column] = frame[column].astype("Int64")
            raw.register("incoming", frame)
            names = ", ".join(f'"{c}"' for c in frame.columns)
            raw.execute(f'insert into "{name}" ({names}) select {names} from incoming')
            raw.unregister("incoming")


def _simulate(run: _Run, total: int, writes: bool, gold: str) -> None:
    rng, odd = run.rng, run.odd
    files = {
        f"src/{odd}{'core' if i % 2 else 'store'}/{VERBS[i % 10]}_{i}.py": [f"{VERBS[j]}_{i}" for j in range(6)]
        for i in range(14)
    }
    if odd:
        files = {k.replace("/home", "|home"): v for k, v in files.items()}
    bodies = {p: dict.fromkeys(names, 0) for p, names in files.items()}
    version = dict.fromkeys(files, 0)

    def text_of(path: str) -> str:
        out = ["import os", f"LIMIT = 10  # {odd}", ""]
        for name, edit in bodies[path].items():
            out += [f"def {name}(value):", f'    """{odd}{name} of value."""']
            out += [f"    step_{k} = value + {k}" for k in range(3 + edit % 4)]
            out += [f"    return step_0 + {edit}", "", ""]
        return "\n".join(out)

    def span_of(path: str, name: str) -> tuple[int, int]:
        lines = text_of(path).split("\n")
        start = next(i for i, line in enumerate(lines, 1) if line.startswith(f"def {name}("))
        end = next(i for i in range(start, len(lines) + 1) if lines[i - 1].startswith("    return"))
        return start, end

    held: dict[str, _Rec] = {}
    by_path: dict[str, list[str]] = defaultdict(list)
    maintained_gain = 0
    curve_edits = edits = nominated = falsified_total = n_write = n_action = n_obs = compactions = 0
    tokens_read = compared = equal = points = 0
    in_burst = False
    sums = {"true": 0, "stale": 0, "none": 0}
    compaction_at = {int(total * 0.35), int(total * 0.76)} if 50 <= total <= 2000 else set(range(400, total, 400))
    symbol_open: dict[str, dict[str, Any]] = {}
    file_open: dict[str, dict[str, Any]] = {}
    for p, names in files.items():
        file_open[p] = {"path": p, "from_t": 0, "until": None, "text": run.blob(text_of(p))}
        run.rows["files"].append({"run_id": run.run_id, **file_open[p]})
        for name in names:
            s, e = span_of(p, name)
            row = {
                "symbol_id": f"{p}::{name}",
                "from_t": 0,
                "until": None,
                "kind": "function",
                "path": p,
                "start": s,
                "end": e,
            }
            row |= {"own_hash": f"{name}0", "language": "python", "run_id": run.run_id}
            symbol_open[f"{p}::{name}"] = row
            run.rows["symbols"].append(row)
    symbols = sorted(symbol_open)
    for n, source in enumerate(symbols):
        for target in rng.sample(symbols, 2):
            tier = "certain" if rng.random() < 0.8 else "possible"
            why = f"{odd}import alias" if n % 3 else "same module"
            run.add(
                "edges",
                n=len(run.rows["edges"]),
                source=source,
                target=target,
                kind="call",
                tier=tier,
                why=why,
                from_t=0,
                until=None,
            )

    def status(rec: _Rec, t: int, value: str, since: int | None = None) -> None:
        lines = json.dumps([[2, 4]]) if "stale" in value else "[]"
        run.add(
            "statuses",
            record_id=rec.id,
            t=t,
            status=value,
            since=since,
            incomplete=False,
            moved=False,
            stale_lines=lines,
        )

    for t in range(1, total + 1):
        if t - 1 in compaction_at:
            run.add(
                "compactions",
                n=compactions,
                after_t=t - 1,
                kind="full",
                trigger="auto",
                pre_tokens=80000,
                removed=len(held),
            )
            compactions += 1
            for row in run.rows["records"]:
                if row["record_id"] in held:
                    row["gone"] = t
            held.clear()
            by_path.clear()
            sums = dict.fromkeys(sums, 0)
            maintained_gain = 0
        kind = rng.choices(["say", "read", "edit", "run", "search"], [3, 6, 3 if writes else 0, 3, 3])[0]
        if t == 1:
            kind = "say"
        path = rng.choice(list(files)[: max(4, len(files) * t // total)])
        names = files[path]
        if kind == "edit" and not in_burst:
            points += 1
            _point(run, t, held, path, rng.choice(names), span_of, edits, gold, sums, maintained_gain)
            in_burst = True
        elif kind in {"read", "run", "search"}:
            in_burst = False
        write_info: dict[str, Any] | None = None
        if kind == "edit":
            name = rng.choice(names)
            before = text_of(path)
            bodies[path][name] += 1
            version[path] += 1
            after = text_of(path)
            write_info = {"path": path, "name": name, "before": before, "after": after}
            edits += 1
        text, command, purpose, tool, call = _content(kind, path, text_of(path), odd, rng, t, write_info)
        tokens = _tokens(text)
        tokens_read += tokens
        title = {
            "read": f"Read {path}",
            "edit": f"Edit {path}",
            "run": f"Bash {command}",
            "search": f"Grep {odd}value",
            "say": text[:70],
        }[kind]
        role = "user" if t == 1 or (kind == "say" and rng.random() < 0.1) else "assistant"
        shown = [path] if kind in {"read", "edit"} else []
        run.add(
            "steps",
            t=t,
            kind=kind,
            role=role,
            tool=tool,
            agent="",
            call=run.blob(call) if call else None,
            text=run.blob(text),
            thinking=None,
            failed=rng.random() < 0.02,
            empty=False,
            time=f"2026-01-05T10:{t // 60 % 60:02d}:{t % 60:02d}Z",
            cwd="/repo",
            command=command,
            purpose=purpose,
            source="main.jsonl",
            line=t,
            turn=1,
            message_id=f"m{t}",
            paths=json.dumps(shown),
            title=title,
            tokens=tokens,
        )
        if write_info:
            falsified, falsified_tokens = [], 0
            symbol = f"{path}::{write_info['name']}"
            run.add(
                "writes",
                n=n_write,
                t=t,
                known_at=t,
                path=path,
                before=run.blob(write_info["before"]),
                after=run.blob(write_info["after"]),
                source="edit",
                how="Edit",
                agent="",
                opaque=False,
                added=1,
                deleted=1,
            )
            n_write += 1
            file_open[path]["until"] = t
            file_open[path] = {
                "run_id": run.run_id,
                "path": path,
                "from_t": t,
                "until": None,
                "text": run.blob(write_info["after"]),
            }
            run.rows["files"].append(file_open[path])
            for other in names:
                sid = f"{path}::{other}"
                s, e = span_of(path, other)
                old = symbol_open[sid]
                if (old["start"], old["end"]) != (s, e) or other == write_info["name"]:
                    old["until"] = t
                    symbol_open[sid] = {
                        **old,
                        "from_t": t,
                        "until": None,
                        "start": s,
                        "end": e,
                        "own_hash": f"{other}{bodies[path][other]}",
                    }
                    run.rows["symbols"].append(symbol_open[sid])
            hits = [held[r] for r in by_path[path] if r in held and write_info["name"] in held[r].names]
            tests = [r for r in held.values() if r.kind == "test" and not r.stale]
            for rec in hits + tests:
                nominated += 1
                state = rec.kind == "test"
                action = "rerun" if state else rng.choices(["refresh", "keep", "drop"], [6, 3, 1])[0]
                after_tokens = {"rerun": 12, "refresh": int(rec.tokens * 0.7), "keep": rec.tokens, "drop": 20}[action]
                new_text = (
                    None if action in {"keep"} else run.blob(f"{odd}{action} of {rec.id}\n{write_info['after'][:400]}")
                )
                sid = "*" if state else symbol
                hit = [{"id": sid, "why": "state" if state else "changed", "tier": "certain", "writes": [t]}]
                reason = f"{odd}an own line of {write_info['name']} changed at step {t}"
                s_, e_ = (1, 40) if rec.path else (None, None)
                run.add(
                    "nominations",
                    t=t,
                    record_id=rec.id,
                    path=rec.path,
                    start=s_,
                    end=e_,
                    born=rec.born,
                    symbols=json.dumps(hit),
                    action=action,
                    reason=reason,
                    tokens_before=rec.tokens,
                    tokens_after=after_tokens,
                    text_after=new_text,
                    pointer="",
                    status="state-stale" if state else "text-stale",
                )
                run.add(
                    "actions",
                    n=n_action,
                    t=t,
                    record_id=rec.id,
                    name=action,
                    tokens_before=rec.tokens,
                    tokens_after=after_tokens,
                    text=new_text,
                    reason=reason,
                    pointer="",
                )
                n_action += 1
                maintained_gain += rec.tokens - after_tokens
                if not rec.stale:
                    rec.stale = True
                    sums["true"] -= rec.tokens
                    sums["stale"] += rec.tokens
                    falsified.append(rec.id)
                    falsified_tokens += rec.tokens
                    status(rec, t, "state-stale" if state else "text-stale", t)
            falsified_total += len(falsified)
            uses = sorted(rng.sample(symbols, 1)) if rng.random() < 0.2 else []
            lost = sorted(rng.sample(symbols, 1)) if rng.random() < 0.2 else []
            created = [f"{path}::made_{t}"] if rng.random() < 0.2 else []
            run.add(
                "drift",
                t=t,
                known_at=t,
                changed=json.dumps([symbol]),
                removed="[]",
                created=json.dumps(created),
                rewired="[]",
                uses=json.dumps(uses),
                lost_callers=json.dumps(lost),
                paths=json.dumps([path]),
                opaque="[]",
                documentation=False,
                falsified_records=len(falsified),
                falsified_tokens=falsified_tokens,
            )
        rec_kind = "test" if purpose == "test" else ("user" if role == "user" else kind)
        rec = _Rec(f"r{t}", rec_kind, t, tokens, path if kind in {"read", "edit"} else None)
        if kind == "read":
            rec.names = tuple(names)
        elif write_info:
            rec.names = (write_info["name"],)
        held[rec.id] = rec
        if rec.path:
            by_path[rec.path].append(rec.id)
        value = "true" if rec.path or purpose == "test" else "none"
        status(rec, t, value)
        sums[value] += tokens
        referent = "state" if purpose == "test" else "symbols" if rec.path else "query" if kind == "search" else "none"
        last = text_of(path).count("\n") if rec.path else None
        run.add(
            "records",
            record_id=rec.id,
            kind=rec_kind,
            born=t,
            gone=None,
            path=rec.path,
            start=1 if rec.path else None,
            end=last,
            tokens=tokens,
            text=run.blob(text),
            referent=referent,
            symbols=json.dumps([f"{path}::{n}" for n in rec.names]),
            sights=json.dumps([[path, 1, last, "read"]] if rec.path else []),
            tool=tool,
            command=command,
            failed=False,
        )
        if kind == "read":
            bad = rng.random() < 0.01
            lines = text.count("\n")
            compared, equal = compared + lines, equal + lines - (2 if bad else 0)
            run.add(
                "observations",
                n=n_obs,
                t=t,
                path=path,
                start=1,
                compared=lines,
                equal=lines - (2 if bad else 0),
                source="read",
                verdict="different" if bad else "equal",
                seen=f"{odd}seen line\nother" if bad else "",
                expected="expected line\nother" if bad else "",
                suspect=t - 3 if bad else None,
            )
            n_obs += 1
        total_held = sum(sums.values())
        cut = min(maintained_gain, sums["stale"])
        run.add(
            "held",
            t=t,
            true_tokens=sums["true"],
            stale_tokens=sums["stale"],
            none_tokens=sums["none"],
            m_true=sums["true"] + (sums["stale"] - cut) // 2,
            m_stale=max(0, (sums["stale"] - cut) // 8),
            m_none=sums["none"],
        )
        run.add(
            "maintained",
            id=rec.id,
            origin=rec.id,
            form="record",
            from_t=t,
            until=None,
            tokens=tokens,
            text=run.blob(text),
        )
        if t % 3 == 0:
            run.add(
                "usages",
                n=t,
                t=t,
                message_id=f"m{t}",
                model="claude-opus",
                agent="",
                input=10,
                cache_read=total_held,
                cache_write_5m=800,
                cache_write_1h=0,
                output=200,
            )
    if not writes:
        run.add("points", **_empty_point(total, total_held))
    for n, why in enumerate(["not JSON", f"{odd}no message"]):
        run.add("skipped", n=n, source="main.jsonl", line=n + 3, why=why)
    run.add("notes", n=0, kind="unknown", t=None, what=f"{odd}type:latch", count=3)
    stats = {
        "files": len(files),
        "symbols": len(symbols),
        "edges": len(run.rows["edges"]),
        "unresolved": 12,
        "languages": [["python", 14]],
        "syntax_errors": [],
        "unresolved_by_path": [],
    }
    run.add(
        "runs",
        session_id=run.run_id,
        path=f"~/.claude/projects/{odd}x/{run.run_id}.jsonl",
        format="claude_code",
        agent=f"Claude Code 2.1.7{odd}",
        models=json.dumps(["claude-opus-4"]),
        repository=f"{odd}demo",
        cwd="/repo",
        git_branch="main",
        started="2026-01-05T10:00:00Z",
        ended="2026-01-05T11:00:00Z",
        task=f"{odd}Make every parser accept a path.",
        status="loaded",
        base_spec="none",
        base_label="the run's own evidence",
        base_matched=0,
        base_compared=0,
        base_note="",
        patch=None,
        options=json.dumps(asdict(Options())),
        analysis_version=ANALYSIS_VERSION,
        content_hash=f"h-{run.run_id}",
        steps=total,
        writes=n_write,
        records=len(run.rows["records"]),
        nominations=nominated,
        decision_points=points,
        lines=total + 5,
        skipped_lines=2,
        observations=n_obs,
        compared_lines=compared,
        equal_lines=equal,
        fidelity=equal / compared if compared else None,
        tokens_read=tokens_read,
        held_end=total_held,
        stale_end=sums["stale"],
        compactions=compactions,
        graph_stats=json.dumps(stats),
        gold_source=gold,
        size=total * 900,
        seconds=2.5,
        ingested_at="2026-01-05T12:00:00Z",
        transcript=None,
    )
    del curve_edits, falsified_total


def _empty_point(t: int, held: int) -> dict[str, Any]:
    zero = dict.fromkeys(
        ("unneeded", "held_needed", "stale", "stale_needed", "needed", "gold_held", "missing", "edits", "merged"), 0
    )
    return {
        "t": t,
        "anchor": "F",
        "first": None,
        "last": None,
        "gold_source": "hindsight",
        "skip": "no-gold",
        "held": held,
        **zero,
        "context_complete": True,
    }


def _content(
    kind: str, path: str, text: str, odd: str, rng: random.Random, t: int, write: dict[str, Any] | None
) -> tuple[str, str, str, str, str]:
    """(text, command, purpose, tool, call) of one step."""
    if kind == "read":
        numbered = "\n".join(f"{i:>5}\t{line}" for i, line in enumerate(text.split("\n"), 1))
        return numbered, "", "", "Read", json.dumps({"file_path": path})
    if kind == "edit" and write:
        return (
            f"The file {path} has been updated.{odd}\n" + write["after"][:600],
            "",
            "",
            "Edit",
            json.dumps({"file_path": path, "old": "a", "new": odd}),
        )
    if kind == "run":
        test = rng.random() < 0.5
        command = f"pytest -q {odd}" if test else f"ls {odd}"
        return (
            f"{odd}\n" + "." * rng.randint(20, 1500) + f"\n{t} passed",
            command,
            "test" if test else "",
            "Bash",
            json.dumps({"command": command}),
        )
    if kind == "search":
        return (
            "\n".join(f"{path}:{k}:    step = {k}{odd}" for k in range(rng.randint(3, 60))),
            "",
            "",
            "Grep",
            json.dumps({"pattern": "value"}),
        )
    return (f"{odd}I will look at how the parser reads its input. " * rng.randint(1, 8)).strip(), "", "", "", ""


def _point(
    run: _Run,
    t: int,
    held: dict[str, _Rec],
    path: str,
    name: str,
    span_of: Any,
    edits: int,
    gold: str,
    sums: dict[str, int],
    gain: int,
) -> None:
    rng = run.rng
    at = t - 1
    start, end = span_of(path, name)
    regions = [(path, start, end, "G1", f"{run.odd}the enclosing definition of the hunk", f"{path}::{name}")]
    for k, rule in enumerate(rng.sample(["G2", "G3", "G4"], 2)):
        regions.append((path, end + 3 + k, end + 6 + k, rule, f"{run.odd}calls {name}", ""))
    needed = missing = 0
    for n, (p, s, e, rule, why, symbol) in enumerate(regions):
        tokens = (e - s + 1) * 9
        got = tokens if any(r.path == p for r in held.values()) and rng.random() < 0.7 else 0
        needed, missing = needed + tokens, missing + tokens - got
        run.add(
            "regions",
            t=at,
            anchor="P",
            n=n,
            path=p,
            start=s,
            end=e,
            rule=rule,
            why=why,
            symbol=symbol,
            tokens=tokens,
            held_tokens=got,
        )
    cells = {"unneeded": 0, "held_needed": 0, "stale": 0, "stale_needed": 0}
    for rec in held.values():
        need = rec.path == path
        cells["held_needed" if need else "unneeded"] += rec.tokens
        if rec.stale:
            cells["stale_needed" if need else "stale"] += rec.tokens
        why = f"{run.odd}shows {name}" if need else f"{run.odd}no line of it is in a needed region"
        run.add(
            "point_records",
            t=at,
            anchor="P",
            record_id=rec.id,
            tokens=rec.tokens,
            needed=need,
            stale=rec.stale,
            needed_tokens=rec.tokens // 8 if need else 0,
            why=why,
        )
    total = sum(sums.values())
    skip = "test-only" if rng.random() < 0.1 else ""
    run.add(
        "points",
        t=at,
        anchor="P",
        first=t,
        last=t + 1,
        gold_source=gold,
        skip=skip,
        merged=edits,
        edits=edits,
        held=total,
        **cells,
        needed=needed,
        gold_held=needed - missing,
        missing=missing,
        context_complete=True,
    )
    if not skip:
        _scores(run, at, gold, cells, missing)
    cut = min(gain, cells["stale"])
    run.add(
        "curve",
        t=at,
        edits=edits,
        held=total,
        unneeded=cells["unneeded"],
        stale=cells["stale"],
        needed=needed,
        missing=missing,
        m_held=total - cut,
        m_unneeded=cells["unneeded"] - cut,
        m_stale=cells["stale"] - cut,
    )


# policy: the share of the unneeded it clears, of the needed it loses, the part of that net, of the missing it finds
POLICY_SHARES = {
    "keep-all": (0.0, 0.0, 0.0, 0.0),
    "evict-all": (1.0, 1.0, 1.0, 0.0),
    "recency-5": (0.9, 0.7, 0.8, 0.0),
    "recency-10": (0.7, 0.5, 0.8, 0.0),
    "observation-masking": (0.8, 0.5, 0.5, 0.0),
    "statetape-defaults": (0.5, 0.2, 0.1, 0.3),
    "statetape": (0.7, 0.2, 0.1, 0.6),
    "file-level": (0.6, 0.4, 0.2, 0.4),
    "oracle-evict": (1.0, 0.0, 0.0, 0.0),
}


def _scores(run: _Run, at: int, gold: str, cells: dict[str, int], missing: int) -> None:
    """What policies did at one point, from a stream of its own so that it moves nothing else of the run."""
    rng = random.Random(f"{run.run_id}:{at}")
    zero = dict.fromkeys(schema.SUMS, 0)
    own = {"unneeded": cells["unneeded"], "held_needed": cells["held_needed"], "missing": missing}
    place: dict[str, Any] = {"t": at, "gold_source": gold}
    for policy, (clears, loses, net, finds) in POLICY_SHARES.items():
        luck = rng.uniform(0.8, 1.2)
        cleared = min(own["unneeded"], int(own["unneeded"] * clears * (luck if clears < 1 else 1)))
        lost = int(own["held_needed"] * loses)
        found = int(missing * finds)
        sums = {"cleared": cleared, "lost": lost, "net_lost": int(lost * net), "dropped": cleared + lost}
        sums |= {"found": found, "added": 3 * found + (lost + cleared) // 4 if finds else 0, "retrieved": found}
        note = f"{run.odd}{at} records" if policy == "statetape" else ""
        run.add("scores", **place, policy=policy, state="ok", note=note, **(zero | own | sums))
    for policy in ("no-tape", *([run.odd] if run.odd else [])):
        note = f"{run.odd}decided by a model; none is connected"
        run.add("scores", **place, policy=policy, state="needs-model", note=note, **(zero | own))
