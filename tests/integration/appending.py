"""A process that appends until it is killed: `python -m tests.integration.appending FILE`.

It writes `b` to its output when an append begins and `e` when it has ended, so that its killer knows what to find.
"""

import os
import sys
from contextlib import closing
from pathlib import Path

from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.store.sqlite import SqliteStore
from tests.contract.layer_log_values import generation, row

RETAINED = 4


def expected(sequence: int, log_id: bytes) -> Generation:
    """Return the generation of a sequence: some rows stay, some change, some come and some go."""
    changing = (row(f"changing-{number}", str(sequence)) for number in range(50))
    passing = (row(f"passing-{sequence}-{number}", "x" * 500) for number in range(50))
    return generation(DEPLOYMENT, log_id, sequence, row("staying"), *changing, *passing)


def main() -> None:
    """Append from where the store is, and drop what is older than the last few."""
    with closing(SqliteStore(Path(sys.argv[1]), random_bytes=os.urandom)) as store:
        record = store.load(DEPLOYMENT)
        sequence = record.generations[-1].sequence if record.generations else 0
        while True:
            sequence += 1
            appended = expected(sequence, record.log_id)
            os.write(sys.stdout.fileno(), b"b")
            store.append(appended, dropped=(sequence - RETAINED,))
            os.write(sys.stdout.fileno(), b"e")


if __name__ == "__main__":
    main()
