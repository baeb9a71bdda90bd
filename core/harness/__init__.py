"""Stage 9, StateHarness: the project's state kept beside the evidence (METHOD 8; the StateHarness paper)."""
