"""The owner's page: see what is possible, say what is wanted, compare, and get the scheduler.

`state` is what the owner wants and looks at, `actions` what he can do, `undo` the states before: values and pure
functions. `state_view` turns a state into numbers, and `charts`, `tab_wish`, `tab_compare`, `tab_train` and
`csv_tables` show them; `layout` is the frame around them, made of `widgets`. `page_file` and `page_folder` keep the
work on disk, `trainings` runs the command line's `train` in the background, `desk` holds what changes while the page is
open, `server` answers the browser, and `access` says who may come in. The clouds of schedules are drawn in the browser
by the files of `assets`, which hold all values once; a brush is answered there, and the server is told when it rests.
"""
