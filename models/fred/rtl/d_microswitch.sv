// SPDX-License-Identifier: Apache-2.0
// D-µswitch, M × 2: every output takes one input, both may take the same. One stage.
module d_microswitch #(
    parameter int M = 3,
    parameter int F = 198  // bits of a flit
) (
    input logic clk,
    input logic rst_n,
    input logic [2*M-1:0] takes,  // for every output the inputs, at most one
    input logic [F-1:0] in_flit[M],
    output logic [F-1:0] out_0,
    output logic [F-1:0] out_1
);
  // verilator no_inline_module
  mux #(
      .M(M),
      .F(F)
  ) first (
      .clk(clk),
      .rst_n(rst_n),
      .takes(takes[0+:M]),
      .in_flit(in_flit),
      .out_flit(out_0)
  );
  mux #(
      .M(M),
      .F(F)
  ) second (
      .clk(clk),
      .rst_n(rst_n),
      .takes(takes[M+:M]),
      .in_flit(in_flit),
      .out_flit(out_1)
  );
endmodule
