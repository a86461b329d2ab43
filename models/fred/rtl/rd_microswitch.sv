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
    input logic [SIDE+W-1:0] in_0,
    input logic [SIDE+W-1:0] in_1,
    output logic [SIDE+W-1:0] out_0,
    output logic [SIDE+W-1:0] out_1
);
  // verilator no_inline_module
`include "mutations.svh"
  logic [W-1:0] sum;

  value_adder #(
      .W(W),
      .DATA_TYPE(DATA_TYPE)
  ) adder (
      .enable(&takes[1:0] | &takes[3:2]),
      .bf16(bf16),
      .a(in_0[W-1:0]),
      .b(`FRED_MUTATION(1) ? in_0[W-1:0] : in_1[W-1:0]),
      .sum(sum)
  );

  always_ff @(posedge clk)
    if (!rst_n) begin
      out_0 <= '0;
      out_1 <= '0;
    end else begin
      case (takes[1:0])
        2'b01: out_0 <= in_0;
        2'b10: out_0 <= in_1;
        2'b11: out_0 <= {in_0[W+:SIDE], sum};
        default: ;
      endcase
      case (takes[3:2])
        2'b01: out_1 <= in_0;
        2'b10: out_1 <= in_1;
        2'b11: out_1 <= {in_0[W+:SIDE], sum};
        default: ;
      endcase
    end

`ifndef SYNTHESIS
  equal_or_apart : assert property (@(posedge clk) disable iff (!rst_n)
    (takes[1:0] & takes[3:2]) == 0 || takes[1:0] == takes[3:2]);
`endif
endmodule
