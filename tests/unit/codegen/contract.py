"""Small contracts for the plugin: descriptors of one file, as protoc would hand them over."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from google.protobuf import descriptor_pb2, text_format
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from protoc_gen_caps.languages import python
from protoc_gen_caps.model import Model
from protoc_gen_caps.reading import read_model
from skillsource.v1 import caps_pb2

PACKAGE = "sample.v1"


def field(name: str, kind: str, cap: str = "", *, number: int = 1, repeated: bool = False) -> FieldDescriptorProto:
    """Return a field of a type such as `TYPE_STRING` or `.sample.v1.Item`, with a cap in protobuf's text form."""
    made = FieldDescriptorProto(name=name, number=number)
    made.label = FieldDescriptorProto.LABEL_REPEATED if repeated else FieldDescriptorProto.LABEL_OPTIONAL
    if kind.startswith("."):
        made.type, made.type_name = FieldDescriptorProto.TYPE_MESSAGE, kind
    else:
        made.type = FieldDescriptorProto.Type.Value(kind)
    if cap:
        text_format.Parse(f"options {{ [skillsource.v1.cap] {{ {cap} }} }}", made)
    return made


def text_map(name: str, cap: str = "") -> tuple[FieldDescriptorProto, DescriptorProto]:
    """Return a map of texts, as a field and the entry that protoc makes for it."""
    entry = DescriptorProto(
        name="PairsEntry", field=[field("key", "TYPE_STRING"), field("value", "TYPE_STRING", number=2)]
    )
    entry.options.map_entry = True
    return field(name, f".{PACKAGE}.Sample.PairsEntry", cap, repeated=True), entry


def message(name: str, *fields: FieldDescriptorProto) -> DescriptorProto:
    """Return a message whose fields are numbered as they come."""
    made = DescriptorProto(name=name, field=fields)
    for number, one in enumerate(made.field, start=1):
        one.number = number
    return made


def files(*messages: DescriptorProto) -> list[FileDescriptorProto]:
    """Return a contract of these messages with all that it imports."""
    option = FileDescriptorProto()
    caps_pb2.DESCRIPTOR.CopyToProto(option)
    descriptor = FileDescriptorProto()
    descriptor_pb2.DESCRIPTOR.CopyToProto(descriptor)
    own = FileDescriptorProto(
        name="sample/v1/sample.proto",
        package=PACKAGE,
        syntax="proto3",
        dependency=["skillsource/v1/caps.proto"],
        message_type=messages,
    )
    return [descriptor, option, own]


def model(*messages: DescriptorProto) -> Model:
    """Return the caps of these messages."""
    return read_model(files(*messages), PACKAGE)


def generated(*messages: DescriptorProto) -> ModuleType:
    """Return the generated Python of these messages as a module."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated_caps.py"
        path.write_text(python.render(model(*messages)), encoding="utf-8")
        spec = importlib.util.spec_from_file_location("generated_caps", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        # Dataclasses look their module up while they are made.
        sys.modules["generated_caps"] = module
        try:
            spec.loader.exec_module(module)
        finally:
            del sys.modules["generated_caps"]
        return module
