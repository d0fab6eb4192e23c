"""The tools for agents in this process: provider clients and agent frameworks, one module each."""
