"""The owner's page: see what is possible, say what is wanted, compare, and get the scheduler.

`state` holds what the owner wants and looks at, `actions` what the owner can do, `undo` the steps of the decision:
values and pure functions. `history_view` tells these steps. `state_view` turns a state into numbers, and `charts`,
`time_charts`, `tab_wish`, `tab_compare`, `tab_train` and `csv_tables` show them. `contents` puts together the pieces of
the page that an answer may change, and `layout` is the frame around them; both are built from `widgets`. `cards` tells
what the browser asks for beside that, and `decision` is the report for the next meeting. `page_file` and `page_folder`
keep the work on disk. `locate_workload` finds the log, and `newer_front` a front on disk that has changed. `trainings`
runs the command line's `train` in the background, as `processes` that may outlive the page. `desk` holds what changes
while the page is open, and `server` answers the browser with Dash. `access` decides who may open the page,
`browser_requests` what may be sent to it, `packing` how answers are compressed and kept, and `connections` which
connection makes room for another.
The browser draws the clouds of schedules with the files of `assets`. It holds all values once and filters them itself
while the owner brushes. The server gets the new limits when the brush rests.
"""
