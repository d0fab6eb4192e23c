"""The command line: one module a verb. Tables for people, `--json` for programs, one table of exit codes."""
