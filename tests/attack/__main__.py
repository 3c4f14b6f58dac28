"""Attack the program in every way that is known here, and print a table: `make attack`."""

import argparse
import sys
import time

from attack.campaign import SELECTION, WHOLE, attacks, campaign, clock, in_words, save

NAMES = (*attacks(WHOLE, 0, print),)


def main() -> int:
    """Run the campaign; the exit status is 1 if anything was broken."""
    parser = argparse.ArgumentParser(prog="python -m attack", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of all that is random (default 1)")
    parser.add_argument("--only", action="append", choices=NAMES, help="attacks of this kind; may be repeated")
    parser.add_argument("--selection", action="store_true", help="some of them, in two minutes")
    options = parser.parse_args()
    begin = time.monotonic()
    rows = campaign(SELECTION if options.selection else WHOLE, options.seed, options.only or (), clock())
    print(in_words(rows))
    if options.selection or options.only:
        print("a part of the campaign: results/reliability stays as it is")
    else:
        save(rows, options.seed, time.monotonic() - begin)
    return int(any(row.broken for row in rows))


if __name__ == "__main__":
    sys.exit(main())
