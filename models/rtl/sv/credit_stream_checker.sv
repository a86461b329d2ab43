// SPDX-License-Identifier: Apache-2.0
// The rules of credit_stream (models/rtl/README.md) as assertions, for any simulator. Both sides are held to them: what comes to
// the inputs as well. credit_stream_bind.sv puts a checker into a module.
module credit_stream_checker #(
    parameter int P = 2,  // ports
    parameter int W = 32,  // bits of a flit
    parameter int VC = 1,  // channels
    parameter int DEPTH = 1,  // credits of a sender at an input
    parameter int OUT_DEPTH = DEPTH,  // credits of the module at an output
    parameter int B = VC > 1 ? $clog2(VC) : 1
) (
    input logic clk,
    input logic rst_n,
    input logic [P-1:0] in_valid,
    input logic [P-1:0] in_head,
    input logic [P-1:0] in_tail,
    input logic [P*B-1:0] in_vc,
    input logic [P*64-1:0] in_header,
    input logic [P*W-1:0] in_data,
    input logic [P-1:0] in_credit,
    input logic [P*B-1:0] in_credit_vc,
    input logic [P-1:0] out_valid,
    input logic [P-1:0] out_head,
    input logic [P-1:0] out_tail,
    input logic [P*B-1:0] out_vc,
    input logic [P*64-1:0] out_header,
    input logic [P*W-1:0] out_data,
    input logic [P-1:0] out_credit,
    input logic [P*B-1:0] out_credit_vc
);
  for (genvar i = 0; i < P; i++) begin : g_port
    credit_stream_port_checker #(
        .SIDE("input"),
        .PORT(i),
        .W(W),
        .VC(VC),
        .DEPTH(DEPTH),
        .B(B)
    ) of_input (
        .clk(clk),
        .rst_n(rst_n),
        .valid(in_valid[i]),
        .head(in_head[i]),
        .tail(in_tail[i]),
        .vc(in_vc[i*B+:B]),
        .header(in_header[i*64+:64]),
        .data(in_data[i*W+:W]),
        .credit(in_credit[i]),
        .credit_vc(in_credit_vc[i*B+:B])
    );
    credit_stream_port_checker #(
        .SIDE("output"),
        .PORT(i),
        .W(W),
        .VC(VC),
        .DEPTH(OUT_DEPTH),
        .B(B)
    ) of_output (
        .clk(clk),
        .rst_n(rst_n),
        .valid(out_valid[i]),
        .head(out_head[i]),
        .tail(out_tail[i]),
        .vc(out_vc[i*B+:B]),
        .header(out_header[i*64+:64]),
        .data(out_data[i*W+:W]),
        .credit(out_credit[i]),
        .credit_vc(out_credit_vc[i*B+:B])
    );
  end
endmodule

// One direction of a port: flits one way, their credits the other.
module credit_stream_port_checker #(
    parameter SIDE = "input",
    parameter int PORT = 0,
    parameter int W = 32,
    parameter int VC = 1,
    parameter int DEPTH = 1,
    parameter int B = 1
) (
    input logic clk,
    input logic rst_n,
    input logic valid,
    input logic head,
    input logic tail,
    input logic [B-1:0] vc,
    input logic [63:0] header,
    input logic [W-1:0] data,
    input logic credit,
    input logic [B-1:0] credit_vc
);
  logic [VC-1:0][31:0] credits;  // of the sender
  logic [VC-1:0][31:0] left;  // flits of the packet that has begun
  logic vc_known, credit_known, same, has_credit, is_due, begun;
  logic [B-1:0] c, d;
  int unsigned to_come;  // flits of the packet, this one included

  function automatic int unsigned flits(input logic [23:0] of);
    flits = of == 0 ? 1 : (32'(of) + W / 8 - 1) / (W / 8);
  endfunction

  always_comb begin
    vc_known = 32'(vc) < VC;
    credit_known = 32'(credit_vc) < VC;
    c = vc_known ? vc : '0;
    d = credit_known ? credit_vc : '0;
    same = valid && credit && c == d;
    has_credit = credits[c] != 0 || same;
    is_due = credits[d] < DEPTH || same;
    begun = left[c] != 0;
    to_come = head ? flits(header[63:40]) : left[c];
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      credits <= {VC{32'(DEPTH)}};
      left <= '0;
    end else begin
      if (valid && vc_known) left[c] <= tail || to_come == 0 ? 0 : to_come - 1;
      if (!same) begin
        if (valid && vc_known && credits[c] != 0) credits[c] <= credits[c] - 1;
        if (credit && credit_known && credits[d] < DEPTH) credits[d] <= credits[d] + 1;
      end
    end
  end

  int unsigned held;  // cycles of reset
  always_ff @(posedge clk) held <= rst_n ? 0 : held + 1;
  quiet_in_reset :
  assert property (@(posedge clk) !rst_n && held >= 4 |-> !valid && !credit)
  else $error("%s %0d: nothing is valid while the reset is held", SIDE, PORT);
  known :
  assert property (@(posedge clk) disable iff (!rst_n) !$isunknown({valid, credit}) && (!credit || !$isunknown(credit_vc)) &&
    (!valid || !$isunknown({head, tail, vc}) && (!head || !$isunknown(header)) && (to_come == 1 || !$isunknown(data))))
  else $error("%s %0d: a pin is unknown", SIDE, PORT);
  channel_exists :
  assert property (@(posedge clk) disable iff (!rst_n) (!valid || vc_known) && (!credit || credit_known))
  else $error("%s %0d: the channel is one of the module's", SIDE, PORT);
  credit_held :
  assert property (@(posedge clk) disable iff (!rst_n) valid && vc_known |-> has_credit)
  else $error("%s %0d, channel %0d: a flit leaves only with a credit", SIDE, PORT, vc);
  credit_due :
  assert property (@(posedge clk) disable iff (!rst_n) credit && credit_known |-> is_due)
  else $error("%s %0d, channel %0d: no more credits come back than flits went", SIDE, PORT, credit_vc);
  framing :
  assert property (@(posedge clk) disable iff (!rst_n) valid && vc_known |-> head == !begun)
  else $error("%s %0d, channel %0d: the packets of a channel have a head and a tail, and do not mix", SIDE, PORT, vc);
  whole_packet :
  assert property (@(posedge clk) disable iff (!rst_n) valid && vc_known && head == !begun |-> tail == (to_come == 1))
  else $error("%s %0d, channel %0d: a packet has as many flits as its header says", SIDE, PORT, vc);
endmodule
