// SPDX-License-Identifier: Apache-2.0
#pragma once
// The simulator's end of `design: remote:SOCKET`: WaferTLM listens at a Unix domain socket, and a simulator
// of this computer that runs the RTL of a switch comes there. One switch in a process. C, or C++ where a
// simulator compiles it as that.
//
// Into the simulator go wafertlm_rtl.c, with it wafertlm_rtl_dpi.c (DPI-C: Verilator, and what has it) or
// wafertlm_rtl_vpi.c (VPI: Icarus Verilog), and the wrapper of the protocol, which calls what is below:
//
//   verilator --binary -Wno-fatal --top-module credit_stream_remote -DCREDIT_STREAM_TOP=my_switch
//     -GP=5 -GW=256 -GVC=4 -GDEPTH=512 my_switch.sv credit_stream_remote.sv wafertlm_rtl.c wafertlm_rtl_dpi.c
//   obj_dir/Vcredit_stream_remote +wafertlm=switch.sock
//
//   iverilog-vpi wafertlm_rtl.c wafertlm_rtl_vpi.c
//   iverilog -g2012 -DWAFERTLM_VPI -DCREDIT_STREAM_TOP=my_switch -s credit_stream_remote
//     -Pcredit_stream_remote.P=5 ... -o switch my_switch.sv credit_stream_remote.sv
//   vvp -M. -mwafertlm_rtl switch +wafertlm=switch.sock
//
// Either side may be started first, and the simulator ends when WaferTLM does.
//
// Over the socket go messages: the number of bytes that follow, and these. Numbers have 32 bits in this
// computer's order. Pins stand side by side in two vectors, inputs and outputs, in the order of their lines,
// the first one at bit 0; words are those of the vectors, all 0 in the beginning.
//
//   simulator: a text, a line each: "wafertlm-rtl 1", "protocol P", "top MODULE", "parameter NAME VALUE",
//     "input NAME BITS", "output NAME BITS"
//   WaferTLM: nothing; or a text, why it does not take this, and the end
//
// and then, until WaferTLM closes the socket:
//
//   WaferTLM: steps, each of the picoseconds that pass before, how many words of the inputs change, and
//     {word, value} of each
//   simulator, when all of them have settled: {word, value, unknown} of the outputs that changed; unknown has
//     the bits that are X or Z

#ifdef __cplusplus
extern "C" {
#endif

#define WAFERTLM_RTL_VERSION 1
/// For which WaferTLM has to listen, after the simulator has started.
#define WAFERTLM_RTL_PATIENCE_S 60

/// A line of the simulator's text, before wafertlm_rtl_open().
void wafertlm_rtl_tell(const char* line);
/// @return 1: connected; 0: not, and stderr says why.
int wafertlm_rtl_open(const char* path);
/// Answers, if all steps are done, and waits for the next. @return picoseconds that pass before it; -1: over.
int wafertlm_rtl_exchange(void);
/// The next word of the inputs that this step changes; -1: none.
int wafertlm_rtl_next_input(void);
/// Its value.
int wafertlm_rtl_get(void);
/// An output word that has changed. wafertlm_rtl_put(word, value) of DPI and VPI takes one of four states.
void wafertlm_rtl_put_word(int word, unsigned value, unsigned unknown);

#ifdef __cplusplus
}
#endif
