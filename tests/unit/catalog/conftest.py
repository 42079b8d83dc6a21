"""What tests of refreshing share."""

import pytest

from tests.unit.catalog.house import House


@pytest.fixture
def house() -> House:
    return House()
