"""Errors: one class a code, each reason of the proto in exactly one of them."""

import pytest
from skillsource.v1 import errors_pb2

from skillsvc.domain import errors
from skillsvc.domain.errors import ErrorReason, SkillsvcError

CLASSES = SkillsvcError.__subclasses__()


def test_the_reasons_are_those_of_the_proto() -> None:
    of_the_proto = {value.name.removeprefix("ERROR_REASON_") for value in errors_pb2.ErrorReason.DESCRIPTOR.values}
    assert {reason.value for reason in ErrorReason} == of_the_proto - {"UNSPECIFIED"}
    assert all(reason.name == reason.value for reason in ErrorReason)


def test_there_are_twelve_kinds_of_error() -> None:
    assert len(CLASSES) == 12


@pytest.mark.parametrize("reason", ErrorReason)
def test_a_reason_belongs_to_one_kind(reason: ErrorReason) -> None:
    (kind,) = [each for each in CLASSES if reason in each.reasons]
    error = kind(reason, "Why.", metadata={"field": "x"}, retry_after_s=0.5)
    assert (error.reason, error.message, str(error)) == (reason, "Why.", "Why.")
    assert (dict(error.metadata), error.retry_after_s) == ({"field": "x"}, 0.5)


@pytest.mark.parametrize("kind", CLASSES)
def test_a_kind_has_no_reason_of_another(kind: type[SkillsvcError]) -> None:
    for reason in set(ErrorReason) - kind.reasons:
        with pytest.raises(ValueError, match=f"{reason} is no reason of {kind.__name__}"):
            kind(reason, "Why.")


def test_metadata_cannot_change_after_the_error_is_made() -> None:
    given = {"field": "x"}
    error = errors.InvalidInput(ErrorReason.ARGUMENT_MALFORMED, "Why.", metadata=given)
    given["field"] = "y"
    assert error.metadata == {"field": "x"}
    with pytest.raises(TypeError):
        error.metadata["field"] = "z"  # type: ignore[index] # what must not work
