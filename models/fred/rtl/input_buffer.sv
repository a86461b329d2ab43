// SPDX-License-Identifier: Apache-2.0
// The buffer of an input port: for every virtual channel a queue of flits and one of the headers of its packets, so that
// the next packet's header is known before the last flit of the one before it has gone.
module input_buffer #(
    parameter int W = 128,
    parameter int VC = 2,
    parameter int DEPTH = 32  // flits per channel
) (
    input logic clk,
    input logic rst_n,
    input logic in_valid,
    input logic in_head,
    input logic in_tail,
    input logic [fred_pkg::bits(VC)-1:0] in_vc,
    input logic [63:0] in_header,
    input logic [W-1:0] in_data,
    output logic in_credit,  // a cycle after a flit has gone
    output logic [fred_pkg::bits(VC)-1:0] in_credit_vc,
    // The oldest packet of every channel that has not been granted.
    output logic [VC-1:0] waits,
    output logic [VC*64-1:0] header,
    input logic [VC-1:0] granted,
    // The channels with a flit, and the oldest flit of the one that is read: {head, tail, channel, header, data}.
    output logic [VC-1:0] has_flit,
    input logic [VC-1:0] take,  // at most one
    output logic [2+fred_pkg::bits(VC)+64+W-1:0] flit
);
  // verilator no_inline_module
  localparam int B = fred_pkg::bits(VC);

  logic [VC*(W+2)-1:0] oldest;
  logic [63:0] sent_header, next_header;  // of the packet that is read

  for (genvar v = 0; v < VC; v = v + 1) begin : g_channel
    flit_fifo #(
        .WIDTH(64),
        .DEPTH(DEPTH)
    ) headers (
        .clk(clk),
        .rst_n(rst_n),
        .push(in_valid && in_head && in_vc == B'(v)),
        .in(in_header),
        .pop(granted[v]),
        .valid(waits[v]),
        .out(header[64*v+:64])
    );
    flit_fifo #(
        .WIDTH(W + 2),
        .DEPTH(DEPTH)
    ) flits (
        .clk(clk),
        .rst_n(rst_n),
        .push(in_valid && in_vc == B'(v)),
        .in({in_head, in_tail, in_data}),
        .pop(take[v]),
        .valid(has_flit[v]),
        .out(oldest[(W+2)*v+:W+2])
    );
  end

  always_comb begin
    flit = '0;
    next_header = sent_header;
    for (int v = 0; v < VC; v = v + 1) begin
      if (take[v])
        flit = {oldest[(W+2)*v+W+:2], B'(v), sent_header, oldest[(W+2)*v+:W]};
      if (granted[v]) next_header = header[64*v+:64];
    end
  end
  always_ff @(posedge clk) sent_header <= next_header;

  always_ff @(posedge clk) begin
    in_credit <= rst_n && take != 0;
    in_credit_vc <= '0;
    for (int v = 0; v < VC; v = v + 1) if (take[v]) in_credit_vc <= B'(v);
  end

`ifndef SYNTHESIS
  // A head comes after a tail, on each channel; a packet has the flits that its header says.
  localparam int FLIT_BYTES = W / 8;
  logic [VC-1:0] in_packet;
  logic [23:0] left[VC];  // flits to come
  logic due, last_due;
  assign due = in_packet[in_vc];
  assign last_due = left[in_vc] == 1;
  always_ff @(posedge clk)
    if (!rst_n) in_packet <= '0;
    else if (in_valid) begin
      in_packet[in_vc] <= !in_tail;
      left[in_vc] <= in_head ? 24'((32'(in_header[63:40]) + FLIT_BYTES - 1) / FLIT_BYTES) - 1 : left[in_vc] - 1;
    end
  heads_and_tails : assert property (@(posedge clk) disable iff (!rst_n) in_valid |-> in_head != due);
  length : assert property (@(posedge clk) disable iff (!rst_n)
    in_valid && !in_head |-> in_tail == last_due);
  one_read : assert property (@(posedge clk) disable iff (!rst_n) $onehot0(take));
`endif
endmodule
