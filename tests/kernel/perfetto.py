# SPDX-License-Identifier: BSD-2-Clause
"""perfetto - reads .pftrace files: protocol buffers by their wire format alone, and the fields of
Perfetto's messages that the tests need, by the numbers in its .proto files (TrackEvent,
TrackDescriptor, FtraceEvent). Shares nothing with Lever's writer.
"""
from protobuf_reader import message as fields


def first(message, number, otherwise=None):
    return message.get(number, [otherwise])[0]


class Trace:
    """tracks: {uuid: dict}, events: [(time, type, track, name, dict)], switches: [(time, cpu, ...)]"""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.tracks, self.events, self.switches, self.wakes, self.threads = {}, [], [], [], {}
        whole = fields(data)
        assert set(whole) == {1}, "a trace is packets only"
        for packet in map(fields, whole[1]):
            self.add(packet)

    def add(self, packet):
        if 60 in packet:
            self.add_track(fields(packet[60][0]))
        if 11 in packet:
            assert packet[58] == [3], "time is CLOCK_MONOTONIC"
            event = fields(packet[11][0])
            arguments = {}
            for argument in map(fields, event.get(4, [])):
                arguments[argument[10][0].decode()] = first(argument, 3, first(argument, 6))
            name = first(event, 23, b"").decode()
            self.events.append((packet[8][0], first(event, 9), first(event, 11), name,
                                {**arguments, "flow": event.get(47), "flow_end": event.get(48),
                                 "counter": first(event, 30)}))
        if 1 in packet:
            self.add_bundle(fields(packet[1][0]))

    def add_track(self, track):
        said = {"name": first(track, 2, b"").decode(), "parent": first(track, 5)}
        if 4 in track:
            thread = fields(track[4][0])
            said |= {"pid": thread[1][0], "tid": thread[2][0], "name": thread[5][0].decode()}
        said["is_counter"] = 8 in track
        self.tracks[track[1][0]] = said

    def add_bundle(self, bundle):
        for event in map(fields, bundle[2]):
            if 4 in event:
                switch = fields(event[4][0])
                self.switches.append((event[1][0], first(bundle, 1, 0), switch[2][0], switch[4][0], switch[6][0]))
            if 20 in event:
                self.wakes.append((event[1][0], fields(event[20][0])[2][0], event[2][0]))

    def slices(self, track):
        """[(name, begin, end, depth)] of a track; fails where they do not nest"""
        found, open_ones = [], []
        mine = [event for event in self.events if event[2] == track and event[1] in (1, 2)]
        for event in sorted(mine, key=lambda event: event[0]):
            if event[1] == 1:
                open_ones.append(event)
            else:
                begun = open_ones.pop()
                found.append((begun[3], begun[0], event[0], len(open_ones)))
        assert not open_ones, open_ones
        return found

    def named(self, name):
        return [uuid for uuid, track in self.tracks.items() if track["name"] == name]
