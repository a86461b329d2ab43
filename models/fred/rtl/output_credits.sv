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
  localparam int B = fred_pkg::bits(VC);
  logic [VC*N-1:0] next;

  always_comb begin
    next = credits;
    for (int v = 0; v < VC; v = v + 1) begin
      if (take && take_vc == B'(v)) next[v*N+:N] = next[v*N+:N] - take_flits;
      // Mutation 3: the credit of a flit is lost when a packet is granted in the same cycle.
      if (out_credit && out_credit_vc == B'(v) && !(`FRED_MUTATION(3) && take)) next[v*N+:N] = next[v*N+:N] + 1;
    end
  end
  always_ff @(posedge clk) credits <= rst_n ? next : {VC{N'(DEPTH)}};

`ifndef SYNTHESIS
  for (genvar v = 0; v < VC; v = v + 1) begin : g_check
    no_overflow : assert property (@(posedge clk) disable iff (!rst_n)
      out_credit && out_credit_vc == B'(v) |-> credits[v*N+:N] < N'(DEPTH));
    enough : assert property (@(posedge clk) disable iff (!rst_n)
      take && take_vc == B'(v) |-> credits[v*N+:N] >= take_flits);
  end
`endif
endmodule
