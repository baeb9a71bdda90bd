"""The one style sheet: code with marked lines, diffs, facts, cards. Tints work on light and dark backgrounds."""

from __future__ import annotations

import html

import streamlit as st

_CSS = """
<style>
.block-container{padding-left:2rem;padding-right:2rem;max-width:1700px}
.tp-code{font-family:"Source Code Pro",monospace;font-size:12px;line-height:1.45;border:1px solid rgba(128,140,152,.35);
 border-radius:6px;overflow:auto;max-height:420px;background:rgba(128,140,152,.07)}
.tp-code .seg{display:flex;min-width:max-content;border-left:4px solid transparent}
.tp-code .no,.tp-code .sg,.tp-code .tx{white-space:pre;font-family:inherit;margin:0;padding:0 6px;tab-size:4}
.tp-code .no{text-align:right;min-width:42px;opacity:.55;user-select:none}
.tp-code .sg{padding:0 2px;width:14px;user-select:none;opacity:.8}
.tp-code .tx{flex:1}
.tp-code .add{background:rgba(42,157,143,.16);border-left-color:#2A9D8F}
.tp-code .del{background:rgba(209,73,91,.14);border-left-color:#D1495B}
.tp-code .false{background:rgba(209,73,91,.14);border-left-color:#D1495B}
.tp-code .false .tx{text-decoration:line-through;text-decoration-color:#D1495B}
.tp-code .old{background:rgba(209,73,91,.14);border-left-color:#D1495B}
.tp-code.wrap .no{display:none}.tp-code.wrap .seg{min-width:0}
.tp-code.wrap .tx{white-space:pre-wrap;overflow-wrap:anywhere}
.tp-code .need{background:rgba(46,111,187,.15);border-left-color:#2E6FBB}
.tp-code .held{background:rgba(42,157,143,.16);border-left-color:#2A9D8F}
.tp-code .gap{color:#D1495B;border-left-color:#D1495B;font-style:italic}
.tp-code .hunk{opacity:.6;background:rgba(128,140,152,.12)}
.tp-head{font-size:12.5px;margin:2px 0 4px;overflow-wrap:anywhere}
.tp-head code{font-size:12px;background:rgba(128,140,152,.15);padding:1px 4px;border-radius:4px}
.tp-facts{font-size:13.5px;line-height:1.7;overflow-wrap:anywhere}
.tp-facts b{font-weight:600}.tp-facts .dim{opacity:.65}
.tp-chip{display:inline-block;font-size:11.5px;line-height:1.5;border-radius:9px;padding:0 8px;margin:0 4px 0 0;
 border:1px solid;white-space:nowrap}
.tp-key{display:inline-block;width:11px;height:11px;border-radius:2px;margin:0 5px 0 10px;vertical-align:-1px}
.tp-sentence{font-size:16px;line-height:1.55;border-left:4px solid #1F7A70;padding:4px 0 4px 12px;
 margin:2px 0 10px;overflow-wrap:anywhere}
.tp-step{font-size:13px;font-weight:600;margin:0 0 2px}
.tp-step .dim{font-weight:400;opacity:.7}
</style>
"""


def apply() -> None:
    """Put the style sheet on the page; once a run of a page."""
    st.html(_CSS)


def facts(*parts: str) -> None:
    """A line of facts; every part is HTML that the caller has already escaped."""
    st.html(f'<div class="tp-facts">{" &middot; ".join(part for part in parts if part)}</div>')


def cursor(t: int, steps: int, left: int) -> None:
    """Where step ``t`` stands on the step axis of the chart above, which begins ``left`` pixels in."""
    share = 100 * (t - 0.5) / max(1, steps)
    st.html(
        f'<div style="margin:-6px 12px -10px {left}px;position:relative;height:16px;border-top:1px solid '
        'rgba(128,140,152,.4)">'
        f'<span style="position:absolute;left:{share:.2f}%;transform:translateX(-50%);top:-3px;font-size:11px;'
        f'line-height:14px;white-space:nowrap">▲ {t:,}</span></div>'
    )


def told(words: str, title: str) -> str:
    """A fact with its explanation on hover; ``words`` is escaped HTML, ``title`` plain text."""
    return f'<span title="{html.escape(title, quote=True)}">{words}</span>'


def chip(words: str, colour: str) -> str:
    """A small outlined label; ``words`` is escaped HTML."""
    return f'<span class="tp-chip" style="border-color:{colour}">{words}</span>'


def swatch(words: str, colour: str, hollow: bool = False) -> str:
    """A legend entry; ``words`` is escaped HTML."""
    fill = f"border:2px solid {colour}" if hollow else f"background:{colour}"
    return f'<span><span class="tp-key" style="{fill}"></span>{words}</span>'
