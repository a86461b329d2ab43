#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perfetto_check.py TRACE RESULTS.json: a trace, as protobuf's own parser reads it, against the results of its run.

The trace holds all NPUs, without a window. Exit code 1, and what is wrong, for one that was cut off or differs.
"""
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys

PROTO = pathlib.Path(__file__).resolve().parents[2] / "waveforms/perfetto_trace.proto"


def parsed(text):
    """protoc's text form as nested dictionaries of lists."""
    root = collections.defaultdict(list)
    stack = [root]
    for line in text.splitlines():
        line = line.strip()
        if line.endswith("{"):
            made = collections.defaultdict(list)
            stack[-1][line[:-1].strip()].append(made)
            stack.append(made)
        elif line == "}":
            stack.pop()
        elif line:
            key, value = line.split(": ", 1)
            assert not key.isdigit(), f"a field that the format does not have: {line}"
            stack[-1][key].append(value[1:-1] if value[0] == '"' else value)
    return root


def one(message, key, default=None):
    return message[key][0] if message[key] else default


class Trace:
    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        if data[:2] == b"\x1f\x8b":
            try:
                data = gzip.decompress(data)
            except EOFError as error:
                raise AssertionError(f"clipped: {error}") from error
        command = ["protoc", "--decode=wafertlm.perfetto.Trace", f"-I{PROTO.parent}", PROTO.name]
        text = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert text.returncode == 0, "clipped: " + text.stderr.decode()
        self.tracks, self.parents, self.open = {}, {}, collections.defaultdict(list)
        self.slices, self.counters, self.ends = [], 0, []
        names = {"event_categories": {}, "event_names": {}, "debug_annotation_names": {}}
        for packet in parsed(text.stdout.decode())["packet"]:
            assert one(packet, "trusted_packet_sequence_id") == "1"
            if packet["track_descriptor"]:
                track = one(packet, "track_descriptor")
                process = one(track, "process")
                name = one(process, "process_name") if process else one(track, "name")
                self.tracks[one(track, "uuid")] = name
                self.parents[one(track, "uuid")] = one(track, "parent_uuid")
                continue
            if int(one(packet, "sequence_flags")) & 1:
                for table in names.values():
                    table.clear()
            for interned in packet["interned_data"]:
                for table, known in names.items():
                    for entry in interned[table]:
                        known[one(entry, "iid")] = one(entry, "name")
            self.event(int(one(packet, "timestamp", 0)), one(packet, "track_event"), names)
        assert not any(self.open.values()), "clipped: a slice has no end"
        assert len(self.ends) == 1, "clipped: there is no end of the trace"
        end = self.ends[0]
        flows = sum(len(each["flows"]) for each in self.slices)
        assert (end["slices"], end["flows"], end["counters"]) == (len(self.slices), flows, self.counters), "clipped"

    def event(self, at, event, names):
        track = one(event, "track_uuid")
        assert track in self.tracks, "an event on no track"
        annotations = {names["debug_annotation_names"][one(each, "name_iid")]: int(one(each, "uint_value"))
                       for each in event["debug_annotations"]}
        kind = one(event, "type")
        if kind == "SLICE_BEGIN":
            assert not self.open[track], "slices of a track overlap"
            self.open[track].append({
                "name": names["event_names"][one(event, "name_iid")],
                "category": names["event_categories"][one(event, "category_iids")],
                "track": self.tracks[track], "process": self.tracks[self.parents[track]], "at": at, **annotations,
                "flows": [("leaves", each) for each in event["flow_ids"]]})
        elif kind == "SLICE_END":
            made = self.open[track].pop()
            made["flows"] += [("arrives", each) for each in event["terminating_flow_ids"]]
            start, duration = made["start_ps"], made["duration_ps"]
            assert (made["at"], at) == (start // 1000, (start + duration) // 1000), made
            self.slices.append(made)
        elif kind == "COUNTER":
            value = float(one(event, "double_counter_value"))
            assert value >= 0
            if self.tracks[track].endswith("utilisation"):
                assert value <= 100.0001, value
            self.counters += 1
        else:
            assert kind == "INSTANT" and names["event_names"][one(event, "name_iid")] == "end of trace"
            self.ends.append(annotations)


def check(trace, results):
    spent = collections.Counter()
    for each in trace.slices:
        if each["track"] == "where the time goes":
            spent[re.search(r"rank (\d+)", each["process"])[1], each["name"]] += each["duration_ps"]
    expected = collections.Counter()
    for iteration in results["iterations"]:
        for rank in iteration["ranks"]:
            for part, time in rank["breakdown_ps"].items():
                expected[str(rank["rank"]), part] += time
    assert spent == expected, (spent, expected)

    flows = collections.defaultdict(list)
    for each in trace.slices:
        for way, flow in each["flows"]:
            flows[flow].append((way, each))
    collectives = collections.Counter((each["group_size"], each["bytes"]) for each in results["collectives"])
    messages, found = 0, collections.Counter()
    for ends in flows.values():
        if any(way == "arrives" for way, _ in ends):
            ways = {way: each for way, each in ends}
            assert len(ends) == 2 and set(ways) == {"leaves", "arrives"}, ends
            send, receive = ways["leaves"], ways["arrives"]
            assert send["bytes"] == receive["bytes"] and send["process"] != receive["process"]
            assert send["start_ps"] <= receive["start_ps"] + receive["duration_ps"]
            messages += 1
        else:
            found[len(ends), ends[0][1]["bytes"]] += 1
            assert len({each["process"] for _, each in ends}) == len(ends), "a rank is in a collective once"
    assert found == collectives, (found, collectives)
    for each in results["collectives"]:
        begins = [s for s in trace.slices if s["flows"] and s["start_ps"] == round(each["start_s"] * 1e12)]
        assert any(s["bytes"] == each["bytes"] for s in begins), each
    return messages


if __name__ == "__main__":
    try:
        trace = Trace(sys.argv[1])
        messages = check(trace, json.loads(pathlib.Path(sys.argv[2]).read_text())) if len(sys.argv) > 2 else 0
    except AssertionError as error:
        sys.exit(f"perfetto_check.py: {error}")
    print(f"{len(trace.slices)} slices, {messages} messages, {trace.counters} counter values")
