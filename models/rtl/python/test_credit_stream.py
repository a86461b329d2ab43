# SPDX-License-Identifier: Apache-2.0
"""An example of a cocotb bench: a recording into a switch with the pins credit_stream, and what leaves it compared with what
the model sent. cocotb 1.8; in its Makefile TOPLEVEL is the switch, MODULE test_credit_stream, and

    RECORDING=chip.rec VC=4 DEPTH=512 make        (parameters of the switch; the recording's flits have its W bits)

There is no cocotb in Debian 12: it is tested on a stand-in. Of packets of messages; those of in-network flows need the words of a switch's configuration (`wafertlm rtl export`).
"""
import collections
import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from wafertlm_recording import Arrive, Leave, Open, Recording

RESET_CYCLES = 5
PATIENCE = 10_000  # cycles without a flit
Expected = collections.namedtuple("Expected", "flow sequence words")


def values_of(packet):
    """Of a run without values: some that tell packets apart."""
    pattern = packet.header().to_bytes(8, "little")
    return packet.data or (pattern * (packet.payload_bytes // 8 + 1))[:packet.payload_bytes]


class Bench:
    def __init__(self, dut, recording, channels, depth):
        self.dut, self.head = dut, recording.head
        self.bits = max(1, (channels - 1).bit_length())
        ports = range(self.head.ports)
        self.credits = {(port, channel): depth for port in ports for channel in range(channels)}  # of the inputs
        self.waiting = collections.defaultdict(collections.deque)  # packets by input
        self.going = {}  # by input: the flits that are left
        self.expected = {}  # by (output, flow, sequence)
        self.leaving = {}  # by (output, channel)
        self.came = 0
        arrived = {}
        for event in recording:
            assert not isinstance(event, Open), "in-network flows need a configuration"
            key = (event.flow, event.sequence) if isinstance(event, (Arrive, Leave)) else None
            if isinstance(event, Arrive):
                self.waiting[event.port].append(event)
                arrived[key] = event.words(self.head.flit_bytes, values_of(event))
            elif isinstance(event, Leave):
                self.expected[event.port, event.flow, event.sequence & 0xffffff] = list(arrived[key])

    def inputs(self, cycle):
        """The pins of all inputs in this cycle."""
        pins = collections.Counter()
        for port in range(self.head.ports):
            if not self.going.get(port) and self.waiting[port] and self.head.cycle_of(self.waiting[port][0].head_ps) <= cycle:
                packet = self.waiting[port].popleft()
                words = packet.words(self.head.flit_bytes, values_of(packet))
                self.going[port] = [(packet, i == 0, i == len(words) - 1, word) for i, word in enumerate(words)]
            if not self.going.get(port) or self.credits[port, self.going[port][0][0].channel] == 0:
                continue
            packet, is_head, is_tail, word = self.going[port].pop(0)
            self.credits[port, packet.channel] -= 1
            pins["in_valid"] |= 1 << port
            pins["in_head"] |= is_head << port
            pins["in_tail"] |= is_tail << port
            pins["in_vc"] |= packet.channel << port * self.bits
            pins["in_header"] |= packet.header() << port * 64
            pins["in_data"] |= word << port * self.head.flit_bytes * 8
        return pins

    def take_outputs(self):
        """Looks at what the switch shows. @return the credits that go back in the next cycle"""
        back = collections.Counter()
        given, valid = int(self.dut.in_credit.value), int(self.dut.out_valid.value)
        for port in range(self.head.ports):
            if given >> port & 1:
                self.credits[port, self.field("in_credit_vc", port, self.bits)] += 1
            if not valid >> port & 1:
                continue
            channel = self.field("out_vc", port, self.bits)
            back["out_credit"] |= 1 << port
            back["out_credit_vc"] |= channel << port * self.bits
            self.take_flit(port, channel)
        return back

    def field(self, pin, port, bits):
        return int(getattr(self.dut, pin).value) >> port * bits & (1 << bits) - 1

    def take_flit(self, port, channel):
        if self.field("out_head", port, 1):
            header = self.field("out_header", port, 64)
            key = (port, header & 0xffff, header >> 16 & 0xffffff)
            assert key in self.expected, f"output {port}: a packet {key[2]} of flow {key[1]} that the model did not send there"
            self.leaving[port, channel] = (key, self.expected.pop(key))
        key, words = self.leaving[port, channel]
        word = self.field("out_data", port, self.head.flit_bytes * 8)
        assert words and word == words.pop(0), f"output {port}: packet {key[2]} of flow {key[1]}: data {word:x}"
        assert self.field("out_tail", port, 1) == (not words), f"output {port}: packet {key[2]} of flow {key[1]}: its tail"
        self.came += 1

    def is_done(self):
        return not self.expected and not any(words for _, words in self.leaving.values())


INPUTS = ("in_valid", "in_head", "in_tail", "in_vc", "in_header", "in_data", "out_credit", "out_credit_vc", "cfg_valid", "cfg_flow",
          "cfg_word", "cfg_data")


@cocotb.test()
async def what_leaves_is_what_the_model_sent(dut):
    with Recording(os.environ["RECORDING"]) as recording:
        bench = Bench(dut, recording, int(os.environ["VC"]), int(os.environ["DEPTH"]))
    cocotb.start_soon(Clock(dut.clk, 1000, units="ps").start())
    for pin in INPUTS:
        getattr(dut, pin).value = 0
    dut.rst_n.value = 0
    for _ in range(RESET_CYCLES):
        await RisingEdge(dut.clk)
    dut.rst_n.value = 1
    cycle, quiet, back = 0, 0, {}
    while not bench.is_done():
        pins = {**dict.fromkeys(INPUTS, 0), **back, **bench.inputs(cycle)}
        for pin, value in pins.items():
            getattr(dut, pin).value = value
        await FallingEdge(dut.clk)
        before = bench.came
        back = bench.take_outputs()
        quiet = 0 if bench.came != before or pins["in_valid"] else quiet + 1
        assert quiet < PATIENCE, f"{len(bench.expected)} packets have not left"
        await RisingEdge(dut.clk)
        cycle += 1
    dut._log.info("%d flits, as the model sent them", bench.came)
