// SPDX-License-Identifier: Apache-2.0
// Packets of an input that have crossed the interconnect and have not left at all of their outputs: their room in the input
// buffers is given back when the last copy goes. One of them in a cycle, in any order.
module copy_table #(
    parameter int P = 8,
    parameter int VC = 2,
    parameter int N = 6,  // bits of a number of flits
    parameter int SLOTS = 64
) (
    input logic clk,
    input logic rst_n,
    input logic granted,  // into `slot`
    input logic [P-1:0] granted_in,
    input logic [P-1:0] granted_out,
    input logic [fred_pkg::bits(VC)-1:0] granted_vc,
    input logic [N-1:0] granted_flits,
    output logic [fred_pkg::bits(SLOTS)-1:0] slot,
    output logic slot_free,
    input logic [P-1:0] leaves,  // a copy of it, there
    input logic [P*fred_pkg::bits(SLOTS)-1:0] leaves_slot,
    output logic done,
    output logic [fred_pkg::bits(SLOTS)-1:0] done_slot,
    output logic [P-1:0] done_in,
    output logic [fred_pkg::bits(VC)-1:0] done_vc,
    output logic [N-1:0] done_flits
);
  // verilator no_inline_module
  localparam int B = fred_pkg::bits(VC);
  localparam int SB = fred_pkg::bits(SLOTS);
  logic [SLOTS-1:0] used, complete;
  logic [P*SLOTS-1:0] to_come;  // [output][slot]
  logic [P-1:0] last;  // no copy is left of the packet that leaves there
  logic [P+B+N-1:0] what[SLOTS];
  logic [SB-1:0] first;
  assign slot_free = !used[slot];

  always_comb begin
    first = '0;
    done = |complete;
    if (done)
      for (int i = SLOTS - 1; i >= 0; i = i - 1) if (complete[i]) first = SB'(i);
    done_slot = first;
    {done_in, done_vc, done_flits} = what[first];
    last = leaves;
    for (int o = 0; o < P; o = o + 1)
      if (leaves[o])
        for (int other = 0; other < P; other = other + 1)
          if (to_come[other*SLOTS+32'(leaves_slot[o*SB+:SB])] &&
              !(leaves[other] && leaves_slot[other*SB+:SB] == leaves_slot[o*SB+:SB]))
            last[o] = 1'b0;
  end

  for (genvar o = 0; o < P; o = o + 1) begin : g_output
    always_ff @(posedge clk) begin
      if (granted) to_come[o*SLOTS+32'(slot)] <= granted_out[o];
      if (leaves[o]) to_come[o*SLOTS+32'(leaves_slot[o*SB+:SB])] <= 1'b0;
      if (!rst_n) to_come[o*SLOTS+:SLOTS] <= '0;
    end
  end
  always_ff @(posedge clk) if (granted) what[slot] <= {granted_in, granted_vc, granted_flits};

  always_ff @(posedge clk)
    if (!rst_n) begin
      used <= '0;
      complete <= '0;
      slot <= '0;
    end else begin
      // One that is in use is passed by: a cycle each.
      if (granted || used[slot]) slot <= slot == SB'(SLOTS - 1) ? '0 : slot + 1;
      if (granted) begin
        used[slot] <= 1'b1;
      end
      for (int o = 0; o < P; o = o + 1) if (last[o]) complete[leaves_slot[o*SB+:SB]] <= 1'b1;
      if (done) begin
        used[first] <= 1'b0;
        complete[first] <= 1'b0;
      end
    end

`ifndef SYNTHESIS
  into_a_free_slot : assert property (@(posedge clk) disable iff (!rst_n) granted |-> slot_free);
`endif
endmodule
