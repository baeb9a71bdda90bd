"""Stage 8, live: a coding agent's hooks keep the state of its project in a folder of it (StateHarness, "Live").

    agent's client --JSON--> client.py --inbox file, socket--> resident.py: keeper.py
        event.py, spoken.py   what the hook and the transcript say, as typed steps
        worktree.py           which files differ since the last event
        live.py, merge.py     the state after it, by the rules of ``core.harness``; what the agent wrote itself
        journal.py            one SQLite file: everything the state is made of, in one transaction an event
        records.py            the five files for the agent to read and write
        answers.py            what the agent is told

Nothing a hook says is executed, and no path of it outside the project is opened; a transcript only inside a folder
that the command line named. Whatever is missing or broken, a hook ends with exit code 0 within its time limit.
"""
