"""A process that tells of outcomes until it is killed: `python -m tests.integration.reporting FILE`.

It writes `b` to its output when a report begins and `e` when it is acknowledged, so that its killer knows what to find.
Each has a request id of its own.
"""

import os
import sys
from contextlib import closing
from pathlib import Path

from skillsvc.domain.partition import Partition
from skillsvc.experience.learning import Outcome, Room
from skillsvc.store.sqlite import SqliteStore
from tests.contract.experience_log import requested

WHOSE = Partition(principal="token:alice", project="p")
ROOM = Room(partition=4, principal=8)
"""So few that most reports of a new task forget an old one."""
TASKS = 6


def outcome(number: int) -> Outcome:
    """Return the outcome of a number."""
    return Outcome(skill="a", task_pattern=f"task {number % TASKS}", success_rate=number % 2)


def main() -> None:
    """Report from the number on that the second argument says."""
    with closing(SqliteStore(Path(sys.argv[1]), random_bytes=os.urandom)) as store:
        number = int(sys.argv[2])
        while True:
            os.write(sys.stdout.fileno(), b"b")
            store.report(WHOSE, outcome(number), room=ROOM, requested=requested(str(number)))
            os.write(sys.stdout.fileno(), b"e")
            number += 1


if __name__ == "__main__":
    main()
