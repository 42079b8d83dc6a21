"""The blocking driver's own part: the alarm of a stream that says nothing."""

import threading
import time

from skillsource.connection import _Alarm

PATIENCE_S = 60.0


def test_the_alarm_rings_when_somebody_waited_too_long() -> None:
    rang = threading.Event()
    alarm = _Alarm(0.05, rang.set, time.monotonic)
    alarm.waiting_since = time.monotonic()
    alarm.start()
    assert rang.wait(PATIENCE_S)
    alarm.join(PATIENCE_S)
    assert alarm.rang


def test_the_alarm_is_silent_while_nobody_waits_and_can_be_stopped() -> None:
    looks = threading.Semaphore(0)
    rang = threading.Event()

    def clock() -> float:
        looks.release()
        return time.monotonic()

    alarm = _Alarm(0.01, rang.set, clock)
    alarm.waiting_since = time.monotonic() + 3_600
    alarm.start()
    assert looks.acquire(timeout=PATIENCE_S)
    alarm.waiting_since = None
    alarm.stop()
    alarm.join(PATIENCE_S)
    assert not alarm.is_alive()
    assert not rang.is_set()
