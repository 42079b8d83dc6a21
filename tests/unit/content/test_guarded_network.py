"""Waits on connections that others may close."""

import socket
import time
from select import POLLIN

import pytest

from skillsvc.content.guarded_network import Patience


def test_a_connection_that_another_thread_has_closed_is_a_fault_of_the_system() -> None:
    patience = Patience(lambda: False, time.monotonic)
    ours, theirs = socket.socketpair()
    ours.close()
    theirs.close()
    with pytest.raises(OSError, match="closed"):
        patience.wait(ours, POLLIN, patience.moment(1.0))
