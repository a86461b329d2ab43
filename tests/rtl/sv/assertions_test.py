#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The assertions in models/rtl/sv find every rule that is broken, at inputs and at outputs, and nothing else.

    assertions_test.py VERILATOR WORK
"""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SV = HERE.parents[2] / "models/rtl/sv"
FRAMING, WHOLE = "the packets of a channel have a head and a tail, and do not mix", "a packet has as many flits as its header says"
CHANNEL = "the channel is one of the module's"
# By protocol: fault, and what is said of it at port 1.
FAULTS = {
    "credit_stream": {
        "reset": "1: nothing is valid while the reset is held",
        "no_head": "1, channel 2: " + FRAMING,
        "two_heads": "1, channel 2: " + FRAMING,
        "no_tail": "1, channel 2: " + WHOLE,
        "early_tail": "1, channel 1: " + WHOLE,
        "channel": "1: " + CHANNEL,
        "no_credit": "1, channel 2: a flit leaves only with a credit",
        "credit_too_many": "1, channel 2: no more credits come back than flits went",
        "credit_channel": "1: " + CHANNEL,
    },
    "axi4_stream": {
        "reset": "1: nothing is valid while the reset is held",
        "valid_falls": "1: valid stays until ready",
        "payload_changes": "1: what goes with valid stays until ready",
        "no_last": "1: " + WHOLE,
        "early_last": "1: " + WHOLE,
        "other_stream": "1: the flits of a packet have one tid and one tdest",
    },
}
DESTINATION = {"input": "input 1: there is no output 2", "output": "output 1: a packet leaves where its flow goes, not one to 2"}


def run(program, *arguments):
    done = subprocess.run([program, *arguments], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    return done.returncode, done.stdout


def main():
    verilator, work = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for protocol, faults in FAULTS.items():
        checker = SV / f"{protocol}_checker.sv"
        subprocess.run([verilator, "--lint-only", "-Wall", "-Wno-MULTITOP", "-Wno-DECLFILENAME", checker], check=True)
        made = work / protocol
        subprocess.run([verilator, "--binary", "--assert", "--output-split", "0", "-Wno-fatal", "-Wno-lint", "-CFLAGS", "-O0",
                        "--Mdir", made, "--top-module", "faults", f"-D{protocol.upper()}_TOP=driven_pins", checker,
                        SV / f"{protocol}_bind.sv", HERE / f"{protocol}_faults.sv"], check=True, stdout=subprocess.DEVNULL)
        for side in ("input", "output"):
            code, text = run(made / "Vfaults", f"+side={side}")
            assert code == 0 and "no rule was broken" in text and "Error" not in text, text
            wanted = {fault: f"{side} {words}" for fault, words in faults.items()}
            if protocol == "axi4_stream":
                wanted["destination"] = DESTINATION[side]
            for fault, words in wanted.items():
                code, text = run(made / "Vfaults", f"+side={side}", f"+fault={fault}")
                assert code != 0 and words in text, f"{protocol} {fault}: expected '{words}', got:\n{text}"
                print(f"{protocol}: {fault}: {words}")


main()
