// SPDX-License-Identifier: Apache-2.0
// First in, first out; what is pushed can be read a cycle later.
module flit_fifo #(
    parameter int WIDTH = 128,
    parameter int DEPTH = 32
) (
    input logic clk,
    input logic rst_n,
    input logic push,
    input logic [WIDTH-1:0] in,
    input logic pop,
    output logic valid,
    output logic [WIDTH-1:0] out
);
  // verilator no_inline_module
  localparam int A = fred_pkg::bits(DEPTH);
  localparam int N = $clog2(DEPTH + 1);
  logic [WIDTH-1:0] memory[DEPTH];
  logic [A-1:0] read, write;
  logic [N-1:0] count;

  assign valid = count != 0;
  assign out = memory[read];
  always_ff @(posedge clk) begin
    if (push) begin
      memory[write] <= in;
      write <= write == A'(DEPTH - 1) ? '0 : write + 1;
    end
    if (pop) read <= read == A'(DEPTH - 1) ? '0 : read + 1;
    if (push != pop) count <= push ? count + 1 : count - 1;
    if (!rst_n) begin
      read <= '0;
      write <= '0;
      count <= '0;
    end
  end

`ifndef SYNTHESIS
  no_overflow : assert property (@(posedge clk) disable iff (!rst_n) push |-> count != N'(DEPTH));
  no_underflow : assert property (@(posedge clk) disable iff (!rst_n) pop |-> valid);
`endif
endmodule
