// SPDX-License-Identifier: Apache-2.0
// D-µswitch, M × 2: every output takes one input, both may take the same. With OUTPUTS = 1 it is the mux of the last
// port of an odd switch. One stage.
module d_microswitch #(
    parameter int M = 3,
    parameter int OUTPUTS = 2,
    parameter int F = 198  // bits of a flit
) (
    input logic clk,
    input logic rst_n,
    input logic [OUTPUTS*M-1:0] takes,  // for every output the inputs, at most one
    input logic [M*F-1:0] in_flit,
    output logic [OUTPUTS*F-1:0] out_flit
);
  // verilator no_inline_module
  always_ff @(posedge clk)
    for (int o = 0; o < OUTPUTS; o = o + 1)
      if (!rst_n) out_flit[o*F+:F] <= '0;
      else for (int c = 0; c < M; c = c + 1) if (takes[o*M+c]) out_flit[o*F+:F] <= in_flit[c*F+:F];

`ifndef SYNTHESIS
  for (genvar o = 0; o < OUTPUTS; o = o + 1) begin : g_check
    no_sums : assert property (@(posedge clk) disable iff (!rst_n) $onehot0(takes[o*M+:M]));
  end
`endif
endmodule
