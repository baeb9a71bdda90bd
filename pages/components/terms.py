"""What the words mean: one sentence where a term first appears, the equation one click below."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True, slots=True)
class Term:
    """A term, what it says in one sentence, and the paper's equation for it (LaTeX; may be empty)."""

    name: str
    says: str
    equation: str = ""


TERMS = {
    "context": Term(
        "Context C_t",
        "The records the agent still holds after step t; a compaction empties it, a sub-agent's own "
        "reads never enter it.",
        r"C_t^+ = (C_t \setminus D_t) \cup A_t",
    ),
    "stale": Term(
        "Falsified (stale)",
        "A record whose shown text stopped being true of the repository because of a write after the record was made.",
        r"\text{stale}(r,t)\iff \exists\, u\in(\tau_r,t]:\ \text{write } u \text{ changed a shown "
        r"line or a covered call of } r",
    ),
    "fidelity": Term(
        "Fidelity",
        "Of all file lines the run shows after we already know them, the share that equals our replayed file.",
        r"\text{fidelity}=\frac{\#\,\text{equal shown lines}}{\#\,\text{shown lines compared}}",
    ),
    "drift": Term(
        "Drift X_t, dX_t",
        "The symbols a write changed or removed, and the unchanged ones whose calls now reach something else.",
        r"X_t=\{v\in V_{t-1}: v\notin V_t \lor b_t(v)\neq b_{t-1}(v)\}\qquad "
        r"\partial X_t=\{v\in (V_{t-1}\cap V_t)\setminus X_t: v \text{ is an endpoint of an edge in } "
        r"E_{t-1}\triangle E_t\}",
    ),
    "nomination": Term(
        "Nomination N_t",
        "The tape's statement that a held record may be false, because it covers a symbol that "
        "drifted since the record was made.",
        r"N_t=\{r\in C_t:\ \rho_r\cap (X_{(\tau_r,t]}\cup \partial X_{(\tau_r,t]})\neq\emptyset\}",
    ),
    "regions": Term(
        "The three regions",
        "What is held but not needed, what is held and needed, and what is needed but not held, in tokens.",
        r"C_t\setminus G_t \qquad C_t\cap G_t \qquad G_t\setminus C_t",
    ),
    "gold": Term(
        "Gold G_t",
        "The code the next edit needs: G1 the edit site, G2 what it references, G3 what must change "
        "with it, G4 the contract it must meet.",
        r"G_t=G1\cup G2\cup G3\cup G4",
    ),
    "cost": Term(
        "Price",
        "Tokens weighted by what a request pays for them: a cached token costs a tenth of a fresh "
        "one, a cache write a quarter more.",
        r"\text{price}=\text{input}+0.1\,\text{cache read}+1.25\,\text{cache write}_{5m}+2\,\text{cache write}_{1h}",
    ),
    "brief": Term(
        "Working brief",
        "What of the records is handed back to the agent, chosen by fixed rules and bounded: focus, alerts, open "
        "relations, guidance, the newest events. What does not fit is counted, with the file it stands in.",
    ),
    "relation": Term(
        "Relation, open or checked",
        "A change of one file may have to be followed in another: a caller, a test, documentation, configuration, a "
        "schema. It is open until a step reads, edits or, for a test, runs that file.",
    ),
    "signals": Term(
        "Diagnostic score",
        "Three shell calls without a completion, three reads of one file without an edit, or 25 calls without the "
        "brief, an edit or a test add one each; a finished test or recognised progress clears it. From two on a "
        "diagnosis is asked for; after one, none for 15 calls.",
    ),
    "ce": Term(
        "CE, with Cleared, Lost and net Lost",
        "How many unneeded tokens a policy clears for each needed token it loses; it says nothing about volume, so "
        "it stands with the shares cleared and lost. Net Lost leaves out what the context still shows in another form.",
        r"CE=\frac{n(D\cap (C\setminus G))}{n(D\cap C\cap G)}",
    ),
    "re": Term(
        "RE, with Found and Added",
        "Percentage points of the missing tokens found for each thousand tokens added a decision point.",
        r"RE=\kappa\,\frac{n(A\cap (G\setminus C))/n(G\setminus C)}{n(A)},\quad \kappa=10^5",
    ),
    "interval": Term(
        "95% interval",
        "Runs are drawn with replacement a thousand times and pooled again; the bar holds the middle 95% of what "
        "comes out. Points of one run are not independent, so whole runs are drawn; one run has no interval, and "
        "with fewer than about ten it is rough.",
    ),
}


def button(*names: str) -> None:
    """A button that opens the sentences and, below them, the equations."""
    with st.popover("Terms", icon=":material/menu_book:", type="tertiary", help="What the words on this page mean"):
        for name in names:
            term = TERMS[name]
            st.markdown(f"**{term.name}.** {term.says}")
            if term.equation:
                with st.expander("Equation"):
                    st.latex(term.equation)
