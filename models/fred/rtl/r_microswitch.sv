// SPDX-License-Identifier: Apache-2.0
// R-µswitch, 2 × M: every input goes to at most one output; both may be added into one. One stage.
module r_microswitch #(
    parameter int M = 3,
    parameter int W = 128,
    parameter int SIDE = 70,  // bits that travel with a flit: of a sum those of input 0
    parameter int DATA_TYPE = 2
) (
    input logic clk,
    input logic rst_n,
    input logic [M*2-1:0] takes,  // for every output the inputs
    input logic bf16,
    input logic [2*(SIDE+W)-1:0] in_flit,
    output logic [M*(SIDE+W)-1:0] out_flit
);
  // verilator no_inline_module
`include "mutations.svh"
  localparam int F = SIDE + W;
  logic reduces;
  logic [W-1:0] a, b, sum;

  always_comb begin
    reduces = 1'b0;
    for (int c = 0; c < M; c = c + 1) reduces = reduces | (takes[2*c] & takes[2*c+1]);
  end
  assign a = in_flit[W-1:0];
  assign b = `FRED_MUTATION(7) ? in_flit[F+:W] << 1 : in_flit[F+:W];  // input 1 twice
  value_adder #(
      .W(W),
      .DATA_TYPE(DATA_TYPE)
  ) adder (
      .enable(reduces),
      .bf16(bf16),
      .a(a),
      .b(b),
      .sum(sum)
  );

  always_ff @(posedge clk)
    for (int c = 0; c < M; c = c + 1)
      if (!rst_n) out_flit[c*F+:F] <= '0;
      else
        case (takes[2*c+:2])
          2'b01: out_flit[c*F+:F] <= in_flit[0+:F];
          2'b10: out_flit[c*F+:F] <= in_flit[F+:F];
          2'b11: out_flit[c*F+:F] <= {in_flit[W+:SIDE], sum};
          default: ;
        endcase

`ifndef SYNTHESIS
  for (genvar c = 0; c < M; c = c + 1) begin : g_check
    for (genvar d = 0; d < c; d = d + 1) begin : g_other
      no_copies : assert property (@(posedge clk) disable iff (!rst_n) (takes[2*c+:2] & takes[2*d+:2]) == 0);
    end
  end
`endif
endmodule
