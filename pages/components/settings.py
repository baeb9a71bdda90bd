"""The switches of the method: one widget each, from the words in ``core/options.py``, and a way to analyse again."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import OptionError
from core.options import Options, options_as_dict, parse_options
from pages.components import jobs, words
from storage.queries import Row


def button(run: Row) -> None:
    """Open the panel for the shown run."""
    changed = differing(run)
    label = f"Switches · {len(changed)} changed" if changed else "Switches"
    if st.button(
        label, icon=":material/tune:", key="open_settings", help="Every departure from the paper can be turned off here"
    ):
        panel(run)


def differing(run: Row) -> dict[str, Any]:
    """The switches this run was analysed with that are not the defaults."""
    standard = options_as_dict(Options())
    return {name: value for name, value in stored(run).items() if standard.get(name) != value}


def stored(run: Row) -> dict[str, Any]:
    """The switches this run was analysed with; those a newer version added have their defaults."""
    return {
        **options_as_dict(Options()),
        **{k: v for k, v in (run["options"] or {}).items() if k in Options.__dataclass_fields__},
    }


@st.dialog("Switches of the method", width="large")
def panel(run: Row) -> None:
    """One widget a switch; the run is analysed again with what is chosen."""
    now = stored(run)
    standard = options_as_dict(Options())
    st.caption(
        "Every result is stored with the switches it was computed with. A dot marks a value that is not the default."
    )
    with st.form("switches", border=False):
        chosen: dict[str, Any] = {}
        columns = st.columns(2, gap="medium")
        for n, field in enumerate(dataclasses.fields(Options)):
            with columns[n % 2]:
                chosen[field.name] = widget(field, now[field.name], now[field.name] != standard[field.name])
        with st.container(horizontal=True):
            again = st.form_submit_button(
                "Analyse this run again", type="primary", icon=":material/refresh:", disabled=jobs.busy()
            )
            reset = st.form_submit_button("Analyse with the defaults", type="tertiary", disabled=jobs.busy())
    if again or reset:
        try:
            options = Options() if reset else parse_options(f"{name}={_said(value)}" for name, value in chosen.items())
        except OptionError as error:
            st.error(words.markdown(error))
            return
        if analyse_again([run], options=options):
            st.rerun()


def widget(field: dataclasses.Field[Any], value: Any, differs: bool) -> Any:
    """A toggle, a choice or a number, with the switch's own words."""
    label = f"{'• ' if differs else ''}`{field.name}`"
    says, choices = field.metadata["says"], field.metadata["choices"]
    key = f"switch_{field.name}"
    if choices:
        answer = st.radio(
            label, choices, index=choices.index(value) if value in choices else 0, horizontal=True, key=key
        )
    elif isinstance(field.default, bool):
        answer = st.toggle(label, value=bool(value), key=key)
    else:
        answer = st.number_input(label, min_value=0, value=int(value), step=100, key=key)
    st.caption(words.markdown(says))
    return answer


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def analyse_again(
    runs: list[Row],
    *,
    options: Options | None = None,
    base_spec: str | None = None,
    patch: str | None = None,
    keep_patch: bool = True,
) -> bool:
    """Start analysing the runs again from their transcripts; what is not given stays as it was."""
    missing = [r for r in runs if not Path(str(r["path"] or "")).expanduser().exists()]
    if missing:
        names = ", ".join(words.markdown(words.tail(r["path"], 60)) for r in missing[:3])
        st.error(f"The transcript is no longer where it was read from ({names}). Load it again from its new place.")
        return False
    loads = []
    for run in runs:
        mine = options or Options(**stored(run))
        spec = base_spec if base_spec is not None else run["base_spec"] or "none"
        text = (patch_of(run) if keep_patch else None) if patch is None else patch
        place = (Path(str(run["path"])).expanduser(),)
        loads.append(jobs.Load(place, mine, spec, text or None, labels=_given(run, "labels")))
    if not jobs.start(f"Analysing {words.plural(len(runs), 'run')} again", loads):
        st.warning("Something is being loaded already; wait for it or cancel it.")
        return False
    return True


def patch_of(run: Row) -> str | None:
    """The reference patch stored with a run."""
    return _given(run, "patch")


def _given(run: Row, what: str) -> str | None:
    from pages.components import data
    from storage.queries import get_run

    whole = data.ask(data.key_of(run), get_run)
    return whole[what] if whole else None
