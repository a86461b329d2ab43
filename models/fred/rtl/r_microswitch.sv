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
    input logic [SIDE+W-1:0] in_0,
    input logic [SIDE+W-1:0] in_1,
    output logic [SIDE+W-1:0] out_flit[M]
);
  // verilator no_inline_module
`include "mutations.svh"
  logic reduces;
  logic [W-1:0] a, b, sum;

  always_comb begin
    reduces = 1'b0;
    for (int c = 0; c < M; c = c + 1) reduces = reduces | (takes[2*c] & takes[2*c+1]);
  end
  assign a = in_0[W-1:0];
  always_comb begin
    b = in_1[W-1:0];
    if (`FRED_MUTATION(7))  // input 1 counts twice
      for (int i = 0; i < W / 32; i = i + 1) b[32*i+:32] = in_1[32*i+:32] << 1;
  end
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

  for (genvar c = 0; c < M; c = c + 1) begin : g_out
    always_ff @(posedge clk)
      if (!rst_n) out_flit[c] <= '0;
      else
        case (takes[2*c+:2])
          2'b01: out_flit[c] <= in_0;
          2'b10: out_flit[c] <= in_1;
          // Mutation 4: from number 8 on a sum has the number after its own.
          2'b11: out_flit[c] <= {in_0[W+:SIDE] + (`FRED_MUTATION(4) && in_0[W+19+:21] != 0 ? SIDE'(65536) : '0), sum};
          default: ;
        endcase
  end

`ifndef SYNTHESIS
  for (genvar c = 0; c < M; c = c + 1) begin : g_check
    for (genvar d = 0; d < c; d = d + 1) begin : g_other
      no_copies : assert property (@(posedge clk) disable iff (!rst_n) (takes[2*c+:2] & takes[2*d+:2]) == 0);
    end
  end
`endif
endmodule
