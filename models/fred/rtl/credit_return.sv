// SPDX-License-Identifier: Apache-2.0
// Credits of an input on their way back, a flit in each cycle: of packets whose last copy leaves, what is out of the buffer.
module credit_return #(
    parameter int P = 8,
    parameter int VC = 2,
    parameter int N = 6,  // bits of a number of flits in the buffer
    parameter int FLITS = 6,  // and of those of a packet
    parameter int PLANES = 3
) (
    input logic clk,
    input logic rst_n,
    input logic [P-1:0] done,  // a packet of this input, as each table of copies has it
    input logic [P*fred_pkg::bits(VC)-1:0] done_vc,
    input logic [P*FLITS-1:0] done_flits,
    input logic [PLANES-1:0] take,  // a flit of such a packet that was not out then
    input logic [PLANES*fred_pkg::bits(VC)-1:0] take_vc,
    output logic in_credit,
    output logic [fred_pkg::bits(VC)-1:0] in_credit_vc
);
  // verilator no_inline_module
  localparam int B = fred_pkg::bits(VC);
  logic [VC*N-1:0] owed, next;
  logic gives;
  logic [B-1:0] vc;

  always_comb begin
    next = owed;
    for (int s = 0; s < P; s = s + 1)
      if (done[s]) next[done_vc[s*B+:B]*N+:N] = next[done_vc[s*B+:B]*N+:N] + N'(done_flits[s*FLITS+:FLITS]);
    for (int k = 0; k < PLANES; k = k + 1)
      if (take[k]) next[take_vc[k*B+:B]*N+:N] = next[take_vc[k*B+:B]*N+:N] + 1;
    gives = |next;
    vc = '0;
    if (gives) begin
      for (int v = VC - 1; v >= 0; v = v - 1) if (next[v*N+:N] != 0) vc = B'(v);
      next[vc*N+:N] = next[vc*N+:N] - 1;
    end
  end
  always_ff @(posedge clk)
    if (!rst_n) begin
      owed <= '0;
      in_credit <= 1'b0;
      in_credit_vc <= '0;
    end else begin
      owed <= next;
      in_credit <= gives;
      in_credit_vc <= vc;
    end
endmodule
