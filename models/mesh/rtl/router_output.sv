// SPDX-License-Identifier: Apache-2.0
// An output of the router: credits of the next buffer, and the choice of the packet that goes next. It sends one packet at
// a time, when there is room for all of it: of the highest priority, the channels of one priority in turns, and the inputs
// in turns within a channel. Who is next in turn on a channel is not overtaken there when it lacks credits.
module router_output #(
    parameter int P = 5,
    parameter int W = 256,
    parameter int VC = 4,
    parameter int CLASS_VC = 1,
    parameter int OUT_DEPTH = 32,
    parameter int B = VC > 1 ? $clog2(VC) : 1,
    parameter int I = P > 1 ? $clog2(P) : 1
) (
    input logic clk,
    input logic rst_n,
    // For each input and channel.
    input logic [P*VC-1:0] waits,
    input logic [P*VC-1:0] has_flit,
    input logic [P*VC*64-1:0] header,
    // The flit that leaves: from where, what follows it, and the channel behind the output.
    output logic take,
    output logic [I-1:0] take_input,
    output logic [B-1:0] take_vc,
    input logic take_tail,
    output logic head,
    output logic [B-1:0] vc,
    output logic [63:0] take_header,
    input logic out_credit,
    input logic [B-1:0] out_credit_vc
);
  localparam int N = $clog2(OUT_DEPTH + 1);
  localparam int FLIT_BYTES = W / 8;

  logic [N-1:0] credits[VC];
  logic busy;  // within a packet, from:
  logic [I-1:0] from_input;
  logic [B-1:0] from_vc, to_vc;
  logic [63:0] sent_header;
  logic [I-1:0] next_input[VC];  // turns
  logic [B-1:0] next_vc[8];

  function automatic logic [I-1:0] number_of(input logic [P-1:0] one_of_all);
    number_of = '0;
    for (int i = 0; i < P; i = i + 1) if (one_of_all[i]) number_of = number_of | I'(i);
  endfunction

  // Of each channel the input whose turn it is, and the channel behind the output.
  logic [VC-1:0] found, can_go;
  logic [I-1:0] input_of[VC];
  logic [B-1:0] vc_of[VC];
  logic [2:0] priority_of[VC];
  logic [N-1:0] flits_of[VC];
  for (genvar v = 0; v < VC; v = v + 1) begin : g_channel
    localparam int FIRST = v / CLASS_VC * CLASS_VC;
    localparam int END = FIRST + CLASS_VC > VC ? VC : FIRST + CLASS_VC;
    logic [23:0] bytes, flits;
    logic [P-1:0] here, behind, chosen;  // those that wait, from the turn on, and the first of them
    for (genvar i = 0; i < P; i = i + 1) begin : g_input
      assign here[i] = waits[i*VC+v];
    end
    assign input_of[v] = number_of(chosen);
    assign found[v] = |here;
    assign behind = here & ({P{1'b1}} << next_input[v]);
    assign chosen = |behind ? behind & -behind : here & -here;
    always_comb begin
      bytes = header[(32'(input_of[v])*VC+v)*64+40+:24];
      flits = bytes == 0 ? 24'd1 : 24'((32'(bytes) + FLIT_BYTES - 1) / FLIT_BYTES);
      flits_of[v] = N'(flits);
      priority_of[v] = header[(32'(input_of[v])*VC+v)*64+12+:3];
      vc_of[v] = B'(FIRST);
      for (int c = FIRST + 1; c < END; c = c + 1) if (credits[c] > credits[vc_of[v]]) vc_of[v] = B'(c);
      can_go[v] = found[v] && 24'(credits[vc_of[v]]) >= flits;
    end
  end

  logic any;
  logic [2:0] highest;
  logic [B-1:0] winner;
  always_comb begin
    any = |can_go;
    highest = '0;
    for (int v = 0; v < VC; v = v + 1) if (can_go[v] && priority_of[v] > highest) highest = priority_of[v];
    winner = '0;
    for (int k = VC - 1; k >= 0; k = k - 1)
      if (can_go[(32'(next_vc[highest])+k)%VC] && priority_of[(32'(next_vc[highest])+k)%VC] == highest)
        winner = B'((32'(next_vc[highest]) + k) % VC);
    head = !busy && any;
    take_input = busy ? from_input : input_of[winner];
    take_vc = busy ? from_vc : winner;
    vc = busy ? to_vc : vc_of[winner];
    take = busy ? has_flit[32'(from_input)*VC+32'(from_vc)] : any;
    take_header = busy ? sent_header : header[(32'(take_input)*VC+32'(take_vc))*64+:64];
  end

  always_ff @(posedge clk) begin
    for (int c = 0; c < VC; c = c + 1)
      credits[c] <= credits[c] + N'(out_credit && out_credit_vc == B'(c)) - (head && vc == B'(c) ? flits_of[winner] : '0);
    if (head) begin
      from_input <= take_input;
      from_vc <= take_vc;
      to_vc <= vc;
      sent_header <= take_header;
      next_input[take_vc] <= 32'(take_input) == P - 1 ? '0 : take_input + 1;
      next_vc[highest] <= 32'(take_vc) == VC - 1 ? '0 : take_vc + 1;
    end
    if (take) busy <= !take_tail;
    if (!rst_n) begin
      for (int c = 0; c < VC; c = c + 1) begin
        credits[c] <= N'(OUT_DEPTH);
        next_input[c] <= '0;
      end
      for (int p = 0; p < 8; p = p + 1) next_vc[p] <= '0;
      busy <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  logic full;
  logic [VC-1:0] fits;
  assign full = credits[out_credit_vc] == N'(OUT_DEPTH);
  for (genvar v = 0; v < VC; v = v + 1) begin : g_fits
    assign fits[v] = !found[v] || g_channel[v].flits <= 24'(OUT_DEPTH);
  end
  no_overflow : assert property (@(posedge clk) disable iff (!rst_n) out_credit |-> !full);
  packet_fits : assert property (@(posedge clk) disable iff (!rst_n) &fits);
`endif
endmodule
