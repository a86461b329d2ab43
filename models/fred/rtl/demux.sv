// SPDX-License-Identifier: Apache-2.0
// 1 × M: the last port of an odd switch chooses a middle switch. One stage.
module demux #(
    parameter int M = 3,
    parameter int F = 198
) (
    input logic clk,
    input logic rst_n,
    input logic [M-1:0] takes,  // at most one
    input logic [F-1:0] in_flit,
    output logic [F-1:0] out_flit[M]
);
  // verilator no_inline_module
  for (genvar c = 0; c < M; c = c + 1) begin : g_out
    always_ff @(posedge clk)
      if (!rst_n) out_flit[c] <= '0;
      else if (takes[c]) out_flit[c] <= in_flit;
  end
endmodule
