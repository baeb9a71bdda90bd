"""Stage 1: a recorded run becomes typed steps. One parser a wire format; nothing behind it knows the agent."""
