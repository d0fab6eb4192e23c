"""The tools that agents get, each defined once for every surface."""
