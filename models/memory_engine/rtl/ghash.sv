// SPDX-License-Identifier: Apache-2.0
// Multiplies by H in GF(2^128) (NIST SP 800-38D, 6.3), eight bits per cycle: 16 cycles for a block.
module ghash (
    input logic clk,
    input logic rst_n,
    input logic start,
    input logic [127:0] block,
    input logic [127:0] h,
    output logic ready,
    output logic [127:0] result
);
  logic [127:0] x, v, z, next_v, next_z;
  logic [4:0] left;
  assign ready = left == 0;
  assign result = z;
  always_comb begin
    next_v = v;
    next_z = z;
    for (int i = 0; i < 8; i++) begin
      if (x[127-i]) next_z = next_z ^ next_v;
      next_v = {1'b0, next_v[127:1]} ^ (next_v[0] ? {8'he1, 120'h0} : 128'h0);
    end
  end
  always_ff @(posedge clk) begin
    if (start) begin
      x <= block;
      v <= h;
      z <= '0;
      left <= 5'd16;
    end else if (left != 0) begin
      x <= x << 8;
      v <= next_v;
      z <= next_z;
      left <= left - 1;
    end
    if (!rst_n) left <= '0;
  end
endmodule
