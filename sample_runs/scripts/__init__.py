"""The scripted agents, one a recorded run: what each says and does, in order."""
