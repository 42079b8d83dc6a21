from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class What(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WHAT_UNSPECIFIED: _ClassVar[What]
    WHAT_CUT: _ClassVar[What]
    WHAT_FLATTENED: _ClassVar[What]
    WHAT_DROPPED: _ClassVar[What]
    WHAT_ITEMS_DROPPED: _ClassVar[What]
    WHAT_TOO_LARGE: _ClassVar[What]
    WHAT_UNFIT: _ClassVar[What]

class Grammar(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GRAMMAR_UNSPECIFIED: _ClassVar[Grammar]
    GRAMMAR_SKILL_NAME: _ClassVar[Grammar]
    GRAMMAR_SKILL_REFERENCE: _ClassVar[Grammar]
    GRAMMAR_ASSET_NAME: _ClassVar[Grammar]
    GRAMMAR_DIGEST: _ClassVar[Grammar]
WHAT_UNSPECIFIED: What
WHAT_CUT: What
WHAT_FLATTENED: What
WHAT_DROPPED: What
WHAT_ITEMS_DROPPED: What
WHAT_TOO_LARGE: What
WHAT_UNFIT: What
GRAMMAR_UNSPECIFIED: Grammar
GRAMMAR_SKILL_NAME: Grammar
GRAMMAR_SKILL_REFERENCE: Grammar
GRAMMAR_ASSET_NAME: Grammar
GRAMMAR_DIGEST: Grammar

class CapVectors(_message.Message):
    __slots__ = ("fields", "messages", "cuts", "flattens", "grammars")
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    CUTS_FIELD_NUMBER: _ClassVar[int]
    FLATTENS_FIELD_NUMBER: _ClassVar[int]
    GRAMMARS_FIELD_NUMBER: _ClassVar[int]
    fields: _containers.RepeatedCompositeFieldContainer[FieldCases]
    messages: _containers.RepeatedCompositeFieldContainer[MessageCase]
    cuts: _containers.RepeatedCompositeFieldContainer[CutCase]
    flattens: _containers.RepeatedCompositeFieldContainer[FlattenCase]
    grammars: _containers.RepeatedCompositeFieldContainer[GrammarCase]
    def __init__(self, fields: _Optional[_Iterable[_Union[FieldCases, _Mapping]]] = ..., messages: _Optional[_Iterable[_Union[MessageCase, _Mapping]]] = ..., cuts: _Optional[_Iterable[_Union[CutCase, _Mapping]]] = ..., flattens: _Optional[_Iterable[_Union[FlattenCase, _Mapping]]] = ..., grammars: _Optional[_Iterable[_Union[GrammarCase, _Mapping]]] = ...) -> None: ...

class Text(_message.Message):
    __slots__ = ("before", "text", "after")
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    before: int
    text: str
    after: int
    def __init__(self, before: _Optional[int] = ..., text: _Optional[str] = ..., after: _Optional[int] = ...) -> None: ...

class Value(_message.Message):
    __slots__ = ("text", "data", "number", "flag", "list", "pairs", "fields")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    FLAG_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    text: Text
    data: Text
    number: int
    flag: bool
    list: List
    pairs: Pairs
    fields: Fields
    def __init__(self, text: _Optional[_Union[Text, _Mapping]] = ..., data: _Optional[_Union[Text, _Mapping]] = ..., number: _Optional[int] = ..., flag: bool = ..., list: _Optional[_Union[List, _Mapping]] = ..., pairs: _Optional[_Union[Pairs, _Mapping]] = ..., fields: _Optional[_Union[Fields, _Mapping]] = ...) -> None: ...

class List(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Item]
    def __init__(self, items: _Optional[_Iterable[_Union[Item, _Mapping]]] = ...) -> None: ...

class Item(_message.Message):
    __slots__ = ("value", "times")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    TIMES_FIELD_NUMBER: _ClassVar[int]
    value: Value
    times: int
    def __init__(self, value: _Optional[_Union[Value, _Mapping]] = ..., times: _Optional[int] = ...) -> None: ...

class Pairs(_message.Message):
    __slots__ = ("pairs",)
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    pairs: _containers.RepeatedCompositeFieldContainer[Pair]
    def __init__(self, pairs: _Optional[_Iterable[_Union[Pair, _Mapping]]] = ...) -> None: ...

class Pair(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: Text
    value: Text
    def __init__(self, key: _Optional[_Union[Text, _Mapping]] = ..., value: _Optional[_Union[Text, _Mapping]] = ...) -> None: ...

class Fields(_message.Message):
    __slots__ = ("values",)
    class ValuesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Value
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Value, _Mapping]] = ...) -> None: ...
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.MessageMap[str, Value]
    def __init__(self, values: _Optional[_Mapping[str, Value]] = ...) -> None: ...

class Change(_message.Message):
    __slots__ = ("path", "what", "size", "limit")
    PATH_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    path: str
    what: What
    size: int
    limit: int
    def __init__(self, path: _Optional[str] = ..., what: _Optional[_Union[What, str]] = ..., size: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class FieldCases(_message.Message):
    __slots__ = ("fields", "cases")
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    CASES_FIELD_NUMBER: _ClassVar[int]
    fields: _containers.RepeatedScalarFieldContainer[str]
    cases: _containers.RepeatedCompositeFieldContainer[FieldCase]
    def __init__(self, fields: _Optional[_Iterable[str]] = ..., cases: _Optional[_Iterable[_Union[FieldCase, _Mapping]]] = ...) -> None: ...

class FieldCase(_message.Message):
    __slots__ = ("given", "kept", "dropped", "changes", "refusals")
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    REFUSALS_FIELD_NUMBER: _ClassVar[int]
    given: Value
    kept: Value
    dropped: bool
    changes: _containers.RepeatedCompositeFieldContainer[Change]
    refusals: _containers.RepeatedCompositeFieldContainer[Change]
    def __init__(self, given: _Optional[_Union[Value, _Mapping]] = ..., kept: _Optional[_Union[Value, _Mapping]] = ..., dropped: bool = ..., changes: _Optional[_Iterable[_Union[Change, _Mapping]]] = ..., refusals: _Optional[_Iterable[_Union[Change, _Mapping]]] = ...) -> None: ...

class MessageCase(_message.Message):
    __slots__ = ("name", "message", "given", "lowered", "kept", "changes", "refusals")
    class LoweredEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    LOWERED_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    REFUSALS_FIELD_NUMBER: _ClassVar[int]
    name: str
    message: str
    given: Fields
    lowered: _containers.ScalarMap[str, int]
    kept: Fields
    changes: _containers.RepeatedCompositeFieldContainer[Change]
    refusals: _containers.RepeatedCompositeFieldContainer[Change]
    def __init__(self, name: _Optional[str] = ..., message: _Optional[str] = ..., given: _Optional[_Union[Fields, _Mapping]] = ..., lowered: _Optional[_Mapping[str, int]] = ..., kept: _Optional[_Union[Fields, _Mapping]] = ..., changes: _Optional[_Iterable[_Union[Change, _Mapping]]] = ..., refusals: _Optional[_Iterable[_Union[Change, _Mapping]]] = ...) -> None: ...

class CutCase(_message.Message):
    __slots__ = ("given", "max_bytes", "kept")
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    given: Text
    max_bytes: int
    kept: Text
    def __init__(self, given: _Optional[_Union[Text, _Mapping]] = ..., max_bytes: _Optional[int] = ..., kept: _Optional[_Union[Text, _Mapping]] = ...) -> None: ...

class FlattenCase(_message.Message):
    __slots__ = ("given", "kept")
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    given: str
    kept: str
    def __init__(self, given: _Optional[str] = ..., kept: _Optional[str] = ...) -> None: ...

class GrammarCase(_message.Message):
    __slots__ = ("grammar", "fitting", "unfit")
    GRAMMAR_FIELD_NUMBER: _ClassVar[int]
    FITTING_FIELD_NUMBER: _ClassVar[int]
    UNFIT_FIELD_NUMBER: _ClassVar[int]
    grammar: Grammar
    fitting: _containers.RepeatedCompositeFieldContainer[Text]
    unfit: _containers.RepeatedCompositeFieldContainer[Text]
    def __init__(self, grammar: _Optional[_Union[Grammar, str]] = ..., fitting: _Optional[_Iterable[_Union[Text, _Mapping]]] = ..., unfit: _Optional[_Iterable[_Union[Text, _Mapping]]] = ...) -> None: ...
