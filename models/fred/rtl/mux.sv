// SPDX-License-Identifier: Apache-2.0
// M × 1: the last port of an odd switch on the way out, and half a D-µswitch. One stage.
module mux #(
    parameter int M = 3,
    parameter int F = 198
) (
    input logic clk,
    input logic rst_n,
    input logic [M-1:0] takes,  // at most one
    input logic [F-1:0] in_flit[M],
    output logic [F-1:0] out_flit
);
  // verilator no_inline_module
  logic [F-1:0] next;
  always_comb begin
    next = out_flit;
    for (int c = 0; c < M; c = c + 1) if (takes[c]) next = in_flit[c];
  end
  always_ff @(posedge clk) out_flit <= rst_n ? next : '0;

`ifndef SYNTHESIS
  no_sums : assert property (@(posedge clk) disable iff (!rst_n) $onehot0(takes));
`endif
endmodule
