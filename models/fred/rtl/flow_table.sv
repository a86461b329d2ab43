// SPDX-License-Identifier: Apache-2.0
// The stored configurations: what a flow does here. Words of an entry:
//   0  input ports, a bit each
//   1  output ports
//   2  [7:0] priority, [8] open, [9] BF16, [23:16] 1 + the input that comes from the switch above, 0: none
//   3  way through the middle switches: 4 bits per level, the outermost in [3:0]
//   4  packets of the flow here
// Writing word 2 opens or closes it; that comes last, and before the flow's first packet.
// Entry 65535 is the switch: word 0 [0] phase rule, word 1 cycles of a change of phase.
module flow_table #(
    parameter int P = 8,
    parameter int M = 3,
    parameter int FLOWS = 32,
    parameter int LEVELS = 2,
    parameter int PHASE_RULE = 0,
    parameter int PHASE_CHANGE = 0
) (
    input logic clk,
    input logic rst_n,
    input logic cfg_valid,
    input logic [15:0] cfg_flow,
    input logic [7:0] cfg_word,
    input logic [31:0] cfg_data,
    input logic [FLOWS-1:0] granted,  // a packet of the flow
    output logic [FLOWS-1:0] is_open,
    output logic [FLOWS-1:0] bf16,
    output logic [FLOWS*8-1:0] priorities,
    output logic [FLOWS*P-1:0] inputs,
    output logic [FLOWS*P-1:0] outputs,
    output logic [FLOWS*P-1:0] from_above,  // at most one of `inputs`
    output logic [FLOWS*(LEVELS > 0 ? LEVELS : 1) * fred_pkg::bits(M)-1:0] ways,
    output logic [FLOWS*32-1:0] left,  // packets that have not been granted
    output logic phase_rule,
    output logic [15:0] phase_change
);
  // verilator no_inline_module
  localparam int C = fred_pkg::bits(M);
  localparam int WAY = (LEVELS > 0 ? LEVELS : 1) * C;
  logic [31:0] to_come[FLOWS];
  logic chosen;

  assign chosen = cfg_valid && 32'(cfg_flow) < FLOWS;
  always_ff @(posedge clk)
    if (!rst_n) begin
      phase_rule <= PHASE_RULE != 0;
      phase_change <= 16'(PHASE_CHANGE);
    end else if (cfg_valid && cfg_flow == 16'hFFFF) begin
      if (cfg_word == 0) phase_rule <= cfg_data[0];
      if (cfg_word == 1) phase_change <= cfg_data[15:0];
    end

  for (genvar f = 0; f < FLOWS; f = f + 1) begin : g_flow
    logic write;
    assign left[f*32+:32] = to_come[f];
    assign write = chosen && cfg_flow == 16'(f);
    always_ff @(posedge clk)
      if (!rst_n) begin
        is_open[f] <= 1'b0;
        bf16[f] <= 1'b0;
        priorities[8*f+:8] <= '0;
        inputs[P*f+:P] <= '0;
        outputs[P*f+:P] <= '0;
        from_above[P*f+:P] <= '0;
        ways[WAY*f+:WAY] <= '0;
        to_come[f] <= '0;
      end else begin
        if (granted[f]) to_come[f] <= to_come[f] - 1;
        if (write)
          case (cfg_word)
            0: inputs[P*f+:P] <= cfg_data[P-1:0];
            1: outputs[P*f+:P] <= cfg_data[P-1:0];
            2: begin
              priorities[8*f+:8] <= cfg_data[7:0];
              is_open[f] <= cfg_data[8];
              bf16[f] <= cfg_data[9];
              from_above[P*f+:P] <= cfg_data[23:16] == 0 ? '0 : P'(1) << (cfg_data[23:16] - 8'd1);
            end
            3: for (int l = 0; l < LEVELS; l = l + 1) ways[WAY*f+C*l+:C] <= cfg_data[4*l+:C];
            4: to_come[f] <= cfg_data;
            default: ;
          endcase
      end
`ifndef SYNTHESIS
    logic unfinished;
    assign unfinished = is_open[f] && to_come[f] != 0;
    no_change_in_use : assert property (@(posedge clk) disable iff (!rst_n) write |-> !granted[f]);
    no_more_than_told : assert property (@(posedge clk) disable iff (!rst_n) granted[f] |-> unfinished);
`endif
  end

`ifndef SYNTHESIS
  known_entry : assert property (@(posedge clk) disable iff (!rst_n) cfg_valid |-> (chosen || cfg_flow == 16'hFFFF) && cfg_word < 5);
`endif
endmodule
