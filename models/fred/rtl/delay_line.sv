// SPDX-License-Identifier: Apache-2.0
module delay_line #(
    parameter int WIDTH = 1,
    parameter int CYCLES = 1
) (
    input logic clk,
    input logic rst_n,
    input logic [WIDTH-1:0] in,
    output logic [WIDTH-1:0] out
);
  // verilator no_inline_module
  logic [CYCLES*WIDTH-1:0] held;
  always_ff @(posedge clk)
    if (!rst_n) held <= '0;
    else begin
      held[0+:WIDTH] <= in;
      for (int i = 1; i < CYCLES; i = i + 1) held[i*WIDTH+:WIDTH] <= held[(i-1)*WIDTH+:WIDTH];
    end
  assign out = held[(CYCLES-1)*WIDTH+:WIDTH];
endmodule
