"""Making representations: routes, lanes, and the one builder of `document.md`."""
