"""The accounting of a real machine becomes a log: parsers of Slurm, PBS and Grid Engine, and of tables of any site.

A parser turns text into blocks of job lives (`lives.Block`). `sifting` drops what cannot be simulated and counts it,
`spool` keeps the rest on disk, `importing` puts it in order and writes the log with its names. `accounting_files` does
all of this for a file.
"""
