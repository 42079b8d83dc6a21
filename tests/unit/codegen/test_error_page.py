import re
from pathlib import Path

import pytest
from error_page import FILE, CommentFault, Reason, read_reasons, render_error_page
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from skillsource.v1 import errors_pb2

from skillsvc.domain import errors
from skillsvc.domain.errors import ErrorReason, SkillsvcError

PAGE = Path(__file__).parents[3] / "docs" / "errors.md"

# architecture.md, rule 6: one class a code.
CODES: dict[type[SkillsvcError], str] = {
    errors.InvalidInput: "INVALID_ARGUMENT",
    errors.NotFound: "NOT_FOUND",
    errors.StateMissing: "FAILED_PRECONDITION",
    errors.Unavailable: "UNAVAILABLE",
    errors.Unauthenticated: "UNAUTHENTICATED",
    errors.Denied: "PERMISSION_DENIED",
    errors.Conflict: "ABORTED",
    errors.AlreadyExists: "ALREADY_EXISTS",
    errors.Exhausted: "RESOURCE_EXHAUSTED",
    errors.DataLoss: "DATA_LOSS",
    errors.NotImplementedYet: "UNIMPLEMENTED",
    errors.InternalFault: "INTERNAL",
}


def contract(*comments: str) -> FileDescriptorSet:
    """Return the enum with the value that is never sent, and one value for each comment."""
    file = FileDescriptorProto(name=FILE)
    enum = file.enum_type.add(name="ErrorReason")
    for number, comment in enumerate(("Never sent.", *comments)):
        enum.value.add(name=f"ERROR_REASON_R{number}", number=number)
        file.source_code_info.location.add(path=[5, 0, 2, number], leading_comments=f" {comment}\n")
    return FileDescriptorSet(file=[file])


def test_a_comment_is_a_code_a_sentence_and_the_metadata() -> None:
    comments = (
        "NOT_FOUND. Nothing of this name. Metadata: none.",
        "UNAVAILABLE, with RetryInfo. Not yet\n here. Try again. Metadata: `a`, `b` where there is one.",
    )
    assert read_reasons(contract(*comments)) == (
        Reason(name="R1", code="NOT_FOUND", detail="", metadata="", meaning="Nothing of this name."),
        Reason(
            name="R2",
            code="UNAVAILABLE",
            detail="RetryInfo",
            metadata="`a`, `b` where there is one",
            meaning="Not yet here. Try again.",
        ),
    )


@pytest.mark.parametrize("comment", ["", "Nothing of this name.", "NOT_FOUND. Nothing.", "NOT_FOUND Metadata: none."])
def test_a_comment_of_another_form_stops_the_generation(comment: str) -> None:
    with pytest.raises(CommentFault, match=r"^ERROR_REASON_R1: "):
        render_error_page(contract(comment))


def test_each_reason_is_a_row_of_the_page() -> None:
    page = render_error_page(contract("NOT_FOUND. Nothing of this name. Metadata: `field`."))
    assert page.endswith("| `R1` | NOT_FOUND |  | `field` | Nothing of this name. |\n")


def test_the_server_knows_the_reasons_of_the_contract() -> None:
    contract_names = {value.name.removeprefix("ERROR_REASON_") for value in errors_pb2.ErrorReason.DESCRIPTOR.values}
    assert {reason.value for reason in ErrorReason} == contract_names - {"UNSPECIFIED"}


def test_each_reason_has_the_code_of_its_class() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    by_class = {reason.value: code for kind, code in CODES.items() for reason in kind.reasons}
    assert dict(rows) == by_class


def test_each_class_of_errors_has_a_code() -> None:
    assert set(CODES) == set(SkillsvcError.__subclasses__())
