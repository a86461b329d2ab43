// SPDX-License-Identifier: Apache-2.0
// What the wrappers share: the pins of a module as two vectors, which wafertlm_rtl.h moves. For a module that has
// INPUTS and OUTPUTS (bits), SETTLE, and the tasks describe, and drive: from `inputs` to the pins.
`ifdef WAFERTLM_VPI
`define WAFERTLM_RTL(name) $wafertlm_rtl_``name
`else
`define WAFERTLM_RTL(name) wafertlm_rtl_``name
  import "DPI-C" function void wafertlm_rtl_tell(input string line);
  import "DPI-C" function int wafertlm_rtl_open(input string path);
  import "DPI-C" function int wafertlm_rtl_exchange();
  import "DPI-C" function int wafertlm_rtl_next_input();
  import "DPI-C" function int wafertlm_rtl_get();
  import "DPI-C" function void wafertlm_rtl_put(input int word, input logic [31:0] value);
`endif
`define WAFERTLM_TEXT(name) `"name`"
`define WAFERTLM_TOP(name) `WAFERTLM_RTL(tell)({"top ", `WAFERTLM_TEXT(name)})
`define WAFERTLM_PARAMETER(name) `WAFERTLM_RTL(tell)($sformatf(`"parameter name %0d`", name))
`define WAFERTLM_PIN(direction, name) `WAFERTLM_RTL(tell)($sformatf(`"direction name %0d`", $bits(name)))

  localparam int IN_WORDS = (INPUTS + 31) / 32, OUT_WORDS = (OUTPUTS + 31) / 32;
  logic [IN_WORDS*32-1:0] inputs = 0;
  wire [OUT_WORDS*32-1:0] from_module;

  string wafertlm_path;
  logic [OUT_WORDS*32-1:0] shown = 0;
  int passes, word;
  longint due = 0;  // time of the step
  initial begin
    if ($value$plusargs("wafertlm=%s", wafertlm_path) == 0) $fatal(1, "where does WaferTLM listen? +wafertlm=SOCKET");
    describe;
    drive;
    if (`WAFERTLM_RTL(open)(wafertlm_path) == 0) $fatal(1, "no connection with WaferTLM");
    passes = `WAFERTLM_RTL(exchange)();
    while (passes >= 0) begin
      due = due + passes;
      if (due > $time) #(due - $time);
      word = `WAFERTLM_RTL(next_input)();
      while (word >= 0) begin
        inputs[word*32+:32] = `WAFERTLM_RTL(get)();
        word = `WAFERTLM_RTL(next_input)();
      end
      drive;
      #SETTLE;
      if (from_module !== shown) begin
        for (int k = 0; k < OUT_WORDS; k = k + 1)
          if (from_module[k*32+:32] !== shown[k*32+:32]) `WAFERTLM_RTL(put)(k, from_module[k*32+:32]);
        shown = from_module;
      end
      passes = `WAFERTLM_RTL(exchange)();
    end
    $finish;
  end
