from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Over(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OVER_UNSPECIFIED: _ClassVar[Over]
    OVER_CUT: _ClassVar[Over]
    OVER_DROP: _ClassVar[Over]
    OVER_KEEP_FIRST: _ClassVar[Over]
    OVER_REFUSE: _ClassVar[Over]

class Grammar(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GRAMMAR_UNSPECIFIED: _ClassVar[Grammar]
    GRAMMAR_SKILL_NAME: _ClassVar[Grammar]
    GRAMMAR_SKILL_REFERENCE: _ClassVar[Grammar]
    GRAMMAR_ASSET_NAME: _ClassVar[Grammar]
    GRAMMAR_DIGEST: _ClassVar[Grammar]
OVER_UNSPECIFIED: Over
OVER_CUT: Over
OVER_DROP: Over
OVER_KEEP_FIRST: Over
OVER_REFUSE: Over
GRAMMAR_UNSPECIFIED: Grammar
GRAMMAR_SKILL_NAME: Grammar
GRAMMAR_SKILL_REFERENCE: Grammar
GRAMMAR_ASSET_NAME: Grammar
GRAMMAR_DIGEST: Grammar
CAP_FIELD_NUMBER: _ClassVar[int]
cap: _descriptor.FieldDescriptor

class Cap(_message.Message):
    __slots__ = ("max_bytes", "max_items", "max_item_bytes", "max_key_bytes", "max_total_bytes", "over", "item_over", "single_line", "grammar", "max_value")
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEM_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_KEY_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    ITEM_OVER_FIELD_NUMBER: _ClassVar[int]
    SINGLE_LINE_FIELD_NUMBER: _ClassVar[int]
    GRAMMAR_FIELD_NUMBER: _ClassVar[int]
    MAX_VALUE_FIELD_NUMBER: _ClassVar[int]
    max_bytes: int
    max_items: int
    max_item_bytes: int
    max_key_bytes: int
    max_total_bytes: int
    over: Over
    item_over: Over
    single_line: bool
    grammar: Grammar
    max_value: int
    def __init__(self, max_bytes: _Optional[int] = ..., max_items: _Optional[int] = ..., max_item_bytes: _Optional[int] = ..., max_key_bytes: _Optional[int] = ..., max_total_bytes: _Optional[int] = ..., over: _Optional[_Union[Over, str]] = ..., item_over: _Optional[_Union[Over, str]] = ..., single_line: bool = ..., grammar: _Optional[_Union[Grammar, str]] = ..., max_value: _Optional[int] = ...) -> None: ...
