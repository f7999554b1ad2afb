# SPDX-License-Identifier: BSD-2-Clause
"""otlp_reader - reads OpenTelemetry's ProfilesData (v1development) by its wire format and the field numbers of
opentelemetry-proto 1.10, with nothing of Lever's.

    {"cpu": {"samples": [{"chain": [(function, file, line, object), ...], "value": ns, "attributes": {...}}], ...}, ...}
"""
from protobuf_reader import message, packed


def one(found, number, default=0):
    return found.get(number, [default])[0]


def text_of(found, number):
    return one(found, number, b"").decode()


def any_value(data):
    found = message(data)
    return found[1][0].decode() if 1 in found else found[3][0]


class Dictionary:
    """Its tables; each must begin with the zero value."""

    def __init__(self, data):
        found = message(data)
        self.mappings, self.locations, self.functions, self.links, texts, self.attributes, self.stacks = (
            found[number] for number in range(1, 8))
        self.texts = [text.decode() for text in texts]
        if self.texts[0] or len(set(self.texts)) != len(self.texts):
            raise ValueError("the table of texts")
        for table in (self.mappings, self.locations, self.functions, self.attributes, self.stacks):
            if table[0] != b"":
                raise ValueError("a table does not begin with its zero value")
        if message(self.links[0]) != {1: [bytes(16)], 2: [bytes(8)]}:
            raise ValueError("the table of links")

    def location(self, number):
        found = message(self.locations[number])
        line = message(found[3][0])
        function = message(self.functions[line[1][0]])
        mapping = message(self.mappings[one(found, 1)])
        if one(line, 1) == 0 or number == 0:
            raise ValueError("a location without a function")
        return (self.texts[one(function, 1)], self.texts[one(function, 3)], one(line, 2), self.texts[one(mapping, 4)])

    def attribute(self, number):
        found = message(self.attributes[number])
        return self.texts[found[1][0]], any_value(found[2][0])

    def sample(self, data):
        found = message(data)
        stack = message(self.stacks[one(found, 1)])
        attributes = [self.attribute(number) for number in packed(found[2][0])]
        if len(dict(attributes)) != len(attributes):
            raise ValueError("an attribute stands twice")
        return {"chain": [self.location(number) for number in packed(one(stack, 1, b""))],
                "value": packed(found[4][0]), "attributes": dict(attributes)}

    def kind(self, data):
        found = message(data)
        return self.texts[one(found, 1)], self.texts[one(found, 2)]


def read(data):
    whole = message(data)
    dictionary = Dictionary(whole[2][0])
    [resource_profiles] = [message(part) for part in whole[1]]
    [scope_profiles] = [message(part) for part in resource_profiles[2]]
    scope = message(scope_profiles[1][0])
    resource = [message(part) for part in message(resource_profiles[1][0])[1]]
    profiles = {}
    for part in scope_profiles[2]:
        found = message(part)
        name, unit = dictionary.kind(found[1][0])
        profiles[name] = {
            "unit": unit, "samples": [dictionary.sample(sample) for sample in found.get(2, [])],
            "time_ns": one(found, 3), "duration_ns": one(found, 4), "period_type": dictionary.kind(found[5][0]),
            "period": one(found, 6), "id": found[7][0]}
    return {"scope": text_of(scope, 1), "resource": {text_of(part, 1): any_value(part[2][0]) for part in resource},
            "profiles": profiles}
