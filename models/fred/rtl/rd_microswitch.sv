// SPDX-License-Identifier: Apache-2.0
// RD-µswitch, 2 × 2: adds and copies; outputs that share an input are equal. One stage.
module rd_microswitch #(
    parameter int W = 128,
    parameter int SIDE = 70,
    parameter int DATA_TYPE = 2
) (
    input logic clk,
    input logic rst_n,
    input logic [3:0] takes,  // [1:0]: the inputs of output 0
    input logic bf16,
    input logic [2*(SIDE+W)-1:0] in_flit,
    output logic [2*(SIDE+W)-1:0] out_flit
);
  // verilator no_inline_module
  localparam int F = SIDE + W;
  logic [W-1:0] sum;

  value_adder #(
      .W(W),
      .DATA_TYPE(DATA_TYPE)
  ) adder (
      .enable(&takes[1:0] | &takes[3:2]),
      .bf16(bf16),
      .a(in_flit[W-1:0]),
      .b(in_flit[F+:W]),
      .sum(sum)
  );

  always_ff @(posedge clk)
    for (int o = 0; o < 2; o = o + 1)
      if (!rst_n) out_flit[o*F+:F] <= '0;
      else
        case (takes[2*o+:2])
          2'b01: out_flit[o*F+:F] <= in_flit[0+:F];
          2'b10: out_flit[o*F+:F] <= in_flit[F+:F];
          2'b11: out_flit[o*F+:F] <= {in_flit[W+:SIDE], sum};
          default: ;
        endcase

`ifndef SYNTHESIS
  equal_or_apart : assert property (@(posedge clk) disable iff (!rst_n)
    (takes[1:0] & takes[3:2]) == 0 || takes[1:0] == takes[3:2]);
`endif
endmodule
