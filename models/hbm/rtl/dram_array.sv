// SPDX-License-Identifier: Apache-2.0
// The cells behind a memory controller, sparse: what was never written reads as 0. For simulation only; a macro stands here
// in silicon.
module dram_array #(
    parameter int W = 512,
    parameter int A = 40
) (
    input logic clk,
    input logic write,
    input logic [A-1:0] write_address,
    input logic [W-1:0] write_data,
    input logic [W/8-1:0] write_strobes,
    input logic read,
    input logic [A-1:0] read_address,
    output logic [W-1:0] read_data
);
  localparam int L = $clog2(W / 8);
  // What nobody wrote has one value everywhere, any one (Verilator) or X: `marker` is not in it.
  logic [W:0] cells[logic [A-L-1:0]];
  logic [W:0] now_read, now_written;
  logic [W-1:0] mask, old;
  logic marker, unused;
  initial marker = cells['1][W] !== 1'b1;
  assign unused = ^{write_address[L-1:0], read_address[L-1:0]};
  for (genvar i = 0; i < W / 8; i = i + 1) begin : g_mask
    assign mask[8*i+:8] = {8{write_strobes[i]}};
  end
  assign old = now_written[W] === marker ? now_written[W-1:0] : '0;
  assign read_data = now_read[W] === marker ? now_read[W-1:0] : '0;
  assign now_written = cells[write_address[A-1:L]];
  always_ff @(posedge clk) begin
    if (read) now_read <= cells[read_address[A-1:L]];
    if (write) cells[write_address[A-1:L]] <= {marker, old & ~mask | write_data & mask};
  end
endmodule
