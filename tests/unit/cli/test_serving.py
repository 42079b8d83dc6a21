"""What serving does to its process."""

import gc

from skillsvc.cli.serving import keeping_all


def test_what_a_start_makes_is_in_no_collection() -> None:
    before = gc.get_freeze_count()
    try:
        with keeping_all():
            assert not gc.isenabled()
            made: list[object] = []
            made.append(made)
        assert gc.isenabled()
        assert gc.get_freeze_count() > before
        assert all(each is not made for each in gc.get_objects())
    finally:
        gc.unfreeze()
