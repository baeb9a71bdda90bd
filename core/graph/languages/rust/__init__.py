"""Rust: crates, modules, items, and the call sites of their bodies."""
