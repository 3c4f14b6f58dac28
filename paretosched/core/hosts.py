"""The names by which programs reach the machine they run on."""

THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
