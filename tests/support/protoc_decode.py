#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""protoc_decode.py FILE.et: every record must be decoded by protoc, metadata first, none with unknown fields."""
import pathlib
import re
import subprocess
import sys

PROTO = pathlib.Path(__file__).resolve().parents[2] / "workloads/chakra/et_def.proto"


def records(data):
    at = 0
    while at < len(data):
        length = shift = 0
        while True:
            byte = data[at]
            at += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        assert at + length <= len(data), "truncated"
        yield data[at:at + length]
        at += length


def decode(message, record):
    command = ["protoc", f"--decode=ChakraProtoMsg.{message}", f"-I{PROTO.parent}", PROTO.name]
    text = subprocess.run(command, input=record, stdout=subprocess.PIPE, check=True).stdout.decode()
    assert not re.search(r"^\s*\d+[:\s{]", text, re.M), f"a field that {message} does not have:\n{text}"
    return text


found = list(records(pathlib.Path(sys.argv[1]).read_bytes()))
assert "0.0.4" in decode("GlobalMetadata", found[0])
for node in found[1:12] + found[-3:]:
    assert "name:" in decode("Node", node)
print(f"{len(found) - 1} nodes")
