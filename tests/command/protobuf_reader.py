# SPDX-License-Identifier: BSD-2-Clause
"""protobuf_reader - messages of protocol buffers by their wire format alone, with nothing of Lever's."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def message(data):
    """number -> list of values: numbers, or the bytes of what has a length"""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = int.from_bytes(data[at:at + size], "little"), at + size
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError(f"field {key >> 3} ends after the message")
        else:
            raise ValueError(f"field {key >> 3} has wire type {kind}")
        found.setdefault(key >> 3, []).append(value)
    if at != len(data):
        raise ValueError(f"the last field ends {at - len(data)} bytes after the message")
    return found


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values
