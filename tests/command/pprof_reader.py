# SPDX-License-Identifier: BSD-2-Clause
"""pprof_reader - reads pprof's profile.proto by its wire format, with nothing of Lever's.

    profile = read(bytes)    {"samples": [{"chain": [(function, file, line, object), ...], ...}], ...}
"""
import gzip

from protobuf_reader import message
from protobuf_reader import packed as packed_in


def one(found, number, default=0):
    return found.get(number, [default])[-1]


def packed(found, number):
    return [value for data in found.get(number, []) for value in packed_in(data)]


def by_id(found, number):
    table = {}
    for data in found.get(number, []):
        row = message(data)
        identity = one(row, 1)
        if not identity or identity in table:
            raise ValueError(f"id {identity} of field {number} is 0 or there twice")
        table[identity] = row
    return table


def label(row, texts):
    pair = message(row)
    text = one(pair, 2)
    return texts[one(pair, 1)], texts[text] if text else one(pair, 3)


def read(data):
    profile = message(gzip.decompress(data))
    texts = [text.decode("utf-8") for text in profile[6]]
    if texts[0]:
        raise ValueError("the first text is not empty")
    mappings, locations, functions = (by_id(profile, number) for number in (3, 4, 5))

    def line_of(identity):
        location = locations[identity]
        line = message(one(location, 4))
        function = functions[one(line, 1)]
        return (texts[one(function, 2)], texts[one(function, 4)], one(line, 2),
                texts[one(mappings[one(location, 2)], 5)])

    def type_of(row):
        pair = message(row)
        return texts[one(pair, 1)], texts[one(pair, 2)]

    samples = []
    for row in map(message, profile.get(2, [])):
        samples.append({"chain": [line_of(identity) for identity in packed(row, 1)], "values": packed(row, 2),
                        "labels": dict(label(data, texts) for data in row.get(3, []))})
    return {"types": [type_of(row) for row in profile[1]], "samples": samples, "period": one(profile, 12),
            "period_type": type_of(one(profile, 11)), "time_ns": one(profile, 9), "duration_ns": one(profile, 10),
            "default": texts[one(profile, 14)], "comments": [texts[number] for number in profile.get(13, [])]}
