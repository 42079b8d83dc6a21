"""What protoc talks to: a CodeGeneratorRequest on standard input, a CodeGeneratorResponse on standard output.

The parameter is the name of the language: `protoc --plugin=protoc-gen-caps --caps_opt=python --caps_out=FOLDER`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse

from protoc_gen_caps.languages import python
from protoc_gen_caps.model import Model
from protoc_gen_caps.reading import CapFault, read_model

PACKAGE = "skillsource.v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """Where the file of a language lies below the output folder, and how it is written."""

    path: str
    render: Callable[[Model], str]


LANGUAGES: Mapping[str, Language] = {
    "python": Language(path=python.PATH, render=python.render),
}


def respond(request: CodeGeneratorRequest) -> CodeGeneratorResponse:
    """Return the file of the language that the request names, or the sentence why there is none."""
    response = CodeGeneratorResponse(supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL)
    language = LANGUAGES.get(request.parameter)
    if language is None:
        response.error = f"{request.parameter!r} is none of the languages {', '.join(sorted(LANGUAGES))}"
        return response
    try:
        text = language.render(read_model(request.proto_file, PACKAGE))
    except CapFault as fault:
        response.error = str(fault)
    else:
        response.file.add(name=language.path, content=text)
    return response


def main() -> None:
    """Answer protoc once."""
    request = CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    sys.stdout.buffer.write(respond(request).SerializeToString())
