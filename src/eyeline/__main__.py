"""`python -m eyeline`: the command line."""

from __future__ import annotations

from eyeline.cli.main import main

if __name__ == "__main__":
    main()
