# SPDX-License-Identifier: Apache-2.0
"""A stand-in for cocotb, of what the example bench uses: half cycles in turn, and a switch in Python behind the pins."""
import logging
import types


def test():
    return lambda function: function


def start_soon(_):
    pass


class WireSwitch:
    """credit_stream: a flit leaves two cycles after it came, by the output of its packet; its credit goes back with it."""

    def __init__(self, ports, flit_bits, channel_bits, spoil):
        self.ports, self.bits = ports, {"vc": channel_bits, "header": 64, "data": flit_bits}
        self.spoil = spoil
        self._log = logging.getLogger("switch")
        for pin in ("clk", "rst_n", "cfg_valid", "cfg_flow", "cfg_word", "cfg_data", "in_credit", "in_credit_vc", "out_credit", "out_credit_vc",
                    *(f"{side}_{what}" for side in ("in", "out") for what in ("valid", "head", "tail", "vc", "header", "data"))):
            setattr(self, pin, types.SimpleNamespace(value=0))
        self.towards = {}
        self.on_the_way = []  # of each input

    def rise(self):
        """An edge, with what is on the pins before it."""
        came = []
        for port in range(self.ports if self.rst_n.value else 0):
            if self.in_valid.value >> port & 1:
                flit = {what: self.field(f"in_{what}", port, self.bits.get(what, 1)) for what in ("head", "tail", "vc", "header", "data")}
                if flit["head"]:
                    self.towards[port, flit["vc"]] = flit["header"] & 0xff
                came.append((port, self.towards[port, flit["vc"]], flit))
        going, self.on_the_way = self.on_the_way, came
        pins = dict.fromkeys(("in_credit", "in_credit_vc", "out_valid", "out_head", "out_tail", "out_vc", "out_header", "out_data"), 0)
        for port, output, flit in going:
            pins["in_credit"] |= 1 << port
            pins["in_credit_vc"] |= flit["vc"] << port * self.bits["vc"]
            pins["out_valid"] |= 1 << output
            for what, value in {**flit, "data": self.spoil(flit["data"])}.items():
                pins[f"out_{what}"] |= value << output * self.bits.get(what, 1)
        return pins

    def field(self, pin, port, bits):
        return getattr(self, pin).value >> port * bits & (1 << bits) - 1


def run(bench, dut):
    """Until the bench is done."""
    coroutine, outputs = bench(dut), {}
    try:
        while True:
            if coroutine.send(None) == "rise":
                outputs = dut.rise()
            for pin, value in outputs.items():
                getattr(dut, pin).value = value
    except StopIteration:
        pass
