from pathlib import Path

from google.protobuf import descriptor_pb2, timestamp_pb2
from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from protoc_gen_caps.plugin import respond
from skillsource.v1 import admin_pb2, caps_pb2, errors_pb2, skill_pb2, skill_source_pb2

from tests.unit.codegen.contract import field, message

ROOT = Path(__file__).parents[3]


def contract() -> list[FileDescriptorProto]:
    modules = (descriptor_pb2, timestamp_pb2, caps_pb2, skill_pb2, errors_pb2, skill_source_pb2, admin_pb2)
    files = []
    for module in modules:
        file = FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(file)
        files.append(file)
    return files


def test_the_caps_of_server_and_client_are_what_the_plugin_writes() -> None:
    response = respond(CodeGeneratorRequest(parameter="python", proto_file=contract()))
    assert response.error == ""
    (file,) = response.file
    assert file.name == "skillsource/caps.py"
    for path in ("clients/python/skillsource/caps.py", "skillsvc/domain/caps.py"):
        assert (ROOT / path).read_text(encoding="utf-8") == file.content


def test_the_order_of_the_files_does_not_matter() -> None:
    files = contract()
    swapped = [*files[:4], files[6], files[5], files[4]]
    responses = [respond(CodeGeneratorRequest(parameter="python", proto_file=order)) for order in (files, swapped)]
    assert responses[0] == responses[1]


def test_a_language_without_a_template_is_told() -> None:
    response = respond(CodeGeneratorRequest(parameter="cobol", proto_file=contract()))
    assert response.error == "'cobol' is none of the languages python"


def test_a_cap_that_makes_no_sense_is_told_and_nothing_is_written() -> None:
    files = contract()
    files[3].message_type.append(message("Odd", field("text", "TYPE_STRING", "max_bytes: 1")))
    response = respond(CodeGeneratorRequest(parameter="python", proto_file=files))
    assert response.error == "Odd.text: what happens over the cap is not one of CUT, DROP, REFUSE"
    assert not response.file
