"""The published tree: plain files that an agent with a mount walks to every original."""
