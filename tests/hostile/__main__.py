"""A server that lies, for clients in any language: `python -m tests.hostile LIE [--listen HOST:PORT]`.

It prints `listening on HOST:PORT`, and plays until it is ended. `--list` prints each lie with the call that meets it,
and the error that an honest client raises, or `value` where it returns one.
"""

import argparse

from tests.hostile.honest import Honest
from tests.hostile.lie import CATALOG
from tests.hostile.lies import LIES
from tests.hostile.playing import Server


def main() -> None:
    """Play one lie, or the honest catalog."""
    lies = {lie.name: lie for lie in LIES}
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("lie", choices=["honest", *lies], nargs="?", default="honest", metavar="LIE")
    parser.add_argument("--listen", default="127.0.0.1:0", metavar="HOST:PORT")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        for lie in LIES:
            print(lie.name, lie.call, lie.error or "value", sep="\t")  # noqa: T201 - a program
        return
    script = lies[options.lie].script() if options.lie in lies else Honest(*CATALOG).script()
    with Server(script, options.listen) as server:
        print(f"listening on {server.address}", flush=True)  # noqa: T201 - a program
        server.wait()


if __name__ == "__main__":
    main()
