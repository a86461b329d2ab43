// SPDX-License-Identifier: Apache-2.0
// Credits of an output port: flits of room in the next buffer, per virtual channel.
module output_credits #(
    parameter int VC = 2,
    parameter int DEPTH = 32,  // of the next buffer
    parameter int N = $clog2(DEPTH + 1)
) (
    input logic clk,
    input logic rst_n,
    input logic out_credit,
    input logic [fred_pkg::bits(VC)-1:0] out_credit_vc,
    input logic take,
    input logic [fred_pkg::bits(VC)-1:0] take_vc,
    input logic [N-1:0] take_flits,
    output logic [VC*N-1:0] credits
);
  // verilator no_inline_module
`include "mutations.svh"
  logic [VC*N-1:0] next;

  always_comb begin
    next = credits;
    if (take) next[take_vc*N+:N] = next[take_vc*N+:N] - take_flits;
    // Mutation 3: a credit is lost that comes when there is none.
    if (out_credit && !(`FRED_MUTATION(3) && credits[out_credit_vc*N+:N] == 0))
      next[out_credit_vc*N+:N] = next[out_credit_vc*N+:N] + 1;
  end
  always_ff @(posedge clk) credits <= rst_n ? next : {VC{N'(DEPTH)}};

`ifndef SYNTHESIS
  logic full, lacks;
  assign full = credits[out_credit_vc*N+:N] == N'(DEPTH);
  assign lacks = credits[take_vc*N+:N] < take_flits;
  no_overflow : assert property (@(posedge clk) disable iff (!rst_n) out_credit |-> !full);
  enough : assert property (@(posedge clk) disable iff (!rst_n) take |-> !lacks);
`endif
endmodule
