"""A campaign of attacks on the whole program that can be repeated: `make attack`."""
