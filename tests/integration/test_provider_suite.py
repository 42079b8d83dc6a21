"""The published suite finds what is wrong with a provider, and nothing wrong with a sound one."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.commands import environment

pytestmark = pytest.mark.integration

PROVIDERS = Path(__file__).parents[1] / "simulators/faulty_providers.py"
FOUND = {
    ("TestRestless", "test_looking_again_finds_the_same"),
    ("TestRandom", "test_another_one_of_the_same_options_finds_the_same"),
    ("TestRefused", "test_it_gives_all_its_skills_without_an_error"),
    ("TestDeaf", "test_it_ends_soon_where_it_is_told_to_stop"),
    ("TestLeaving", "test_it_closes_in_time_and_leaves_no_thread_behind"),
    ("TestSilent", "test_a_change_is_told_and_then_seen"),
}


def test_each_fault_is_found_by_its_test_alone_and_said() -> None:
    plain = ("-p", "no:cacheprovider", "-p", "no:asyncio", "-c", "/dev/null", "--rootdir", str(PROVIDERS.parent))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=line", "-rf", *plain, str(PROVIDERS)],
        cwd=PROVIDERS.parents[2],
        env=environment(PYTHONWARNINGS="default", COLUMNS="500"),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    failed = re.findall(r"^FAILED .*::(\w+)::(\w+) - AssertionError: \S", done.stdout, re.MULTILINE)
    assert set(failed) == FOUND, done.stdout
