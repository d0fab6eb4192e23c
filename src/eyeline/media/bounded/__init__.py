"""Bounded decoding: untrusted bytes are decoded in a child process that holds one job, limits and a sandbox.

A *zygote* (`zygote.py`) is started as a plain subprocess, imports the engines and opens nothing. For each job it forks
a child (`worker.py`) that shuts itself in (`sandbox.py`), runs one named function and is gone. The parent (`pool.py`,
`running.py`) keeps the time, serves bytes and turns how the child ended into a result or a typed error (`outcome.py`).
No codec is known here: a job is a name, `module:function`, below `eyeline.media`.
"""
