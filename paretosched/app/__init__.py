"""The owner's page: see what is possible, say what is wanted, compare, and get the scheduler.

`state` is what the owner did and may undo; `view` turns a state into what the page says, and `charts` into figures:
pure functions, all three. `layout` is the page without its contents, `folder` keeps the work on disk, `trainings` runs
the command line's `train` in the background, `desk` holds what changes while the page is open, and `server` answers
the browser. The clouds of schedules are drawn by `assets/page.js` in the browser, which holds all values once; a brush
is answered there, and the server is told when it rests.
"""
