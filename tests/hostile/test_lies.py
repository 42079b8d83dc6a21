"""Every lie, told to both clients: each gives an honest value or a typed error, in time and in bounded memory."""

# ruff: noqa: ANN401 - a client gives values of all kinds
import resource
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
import skillsource

from tests.hostile.faces import Connect
from tests.hostile.lie import Lie
from tests.hostile.lies import LIES
from tests.hostile.lies_of_events import FLOOD
from tests.hostile.playing import Script, Server

Play = Callable[[Script], Server]

TIMEOUT_S = 20.0
SLACK_S = 20.0
MOST_MIB = 256


def told(client: Any, lie: Lie) -> Any:
    """Make the call, and take what it gives where that is an iterator."""
    value = getattr(client, lie.call)(**lie.arguments)
    match lie.call:
        case "iter_skills":
            return list(value)
        case "watch":
            return list(islice(value, FLOOD if lie.name == "watch-flood" else 2))
        case _:
            return value


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.name)
def test_no_lie_is_believed(connect: Connect, play: Play, lie: Lie) -> None:
    options = {"read_timeout": TIMEOUT_S, "activate_timeout": TIMEOUT_S, **lie.options}
    client = connect(play(lie.script()).address, **options)
    begun = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if lie.error:
        with pytest.raises(skillsource.SkillsourceError) as refused:
            told(client, lie)
        assert type(refused.value) is getattr(skillsource, lie.error), refused.value
        assert not {"\x1b", "\r", "\n", "\u2028"} & set(str(refused.value))
        assert len(str(refused.value).encode()) <= 2_048
    else:
        value = told(client, lie)
        assert lie.holds is not None
        assert lie.holds(value), value
    client.close()
    assert time.monotonic() - begun < TIMEOUT_S + SLACK_S
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MIB * 1024
