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
    // The oldest packet of every channel that has not been granted; a grant of one.
    output logic [VC-1:0] waits,
    output logic [63:0] header[VC],
    input logic granted,
    input logic [fred_pkg::bits(VC)-1:0] granted_vc,
    // The channels with a flit; one channel may be read: {head, tail, channel, header, data}.
    output logic [VC-1:0] has_flit,
    input logic take,
    input logic [fred_pkg::bits(VC)-1:0] take_vc,
    output logic [2+fred_pkg::bits(VC)+64+W-1:0] flit
);
  // verilator no_inline_module
`include "mutations.svh"
  localparam int B = fred_pkg::bits(VC);
  localparam int A = fred_pkg::bits(DEPTH);
  localparam int N = $clog2(DEPTH + 1);
  localparam int AT = $clog2(VC * DEPTH);

  logic [W+1:0] flits[VC*DEPTH];  // {head, tail, data}
  logic [63:0] headers[VC*DEPTH];
  logic [VC*A-1:0] write, read, write_header, read_header;
  logic [VC*N-1:0] count, next_count, count_headers, next_count_headers;
  logic [63:0] sent_header;  // of the packet that is read
  logic push, push_header, drop;

`ifdef WAFERTLM_MUTATIONS
  // Mutation 2: a packet that comes when four wait on its channel is dropped.
  logic dropping;
  assign drop = `FRED_MUTATION(2) && (in_head ? count_headers[in_vc*N+:N] >= 4 : dropping);
  always_ff @(posedge clk) if (in_valid && in_head) dropping <= drop;
`else
  assign drop = 1'b0;
`endif
  assign push = in_valid && !drop;
  assign push_header = push && in_head;

  function automatic logic [A-1:0] after(input logic [A-1:0] place);
    after = place == A'(DEPTH - 1) ? '0 : place + 1;
  endfunction
  function automatic logic [AT-1:0] at(input logic [B-1:0] channel, input logic [A-1:0] place);
    at = AT'(channel) * AT'(DEPTH) + AT'(place);
  endfunction

  always_comb begin
    next_count = count;
    next_count_headers = count_headers;
    if (push) next_count[in_vc*N+:N] = next_count[in_vc*N+:N] + 1;
    if (take) next_count[take_vc*N+:N] = next_count[take_vc*N+:N] - 1;
    if (push_header) next_count_headers[in_vc*N+:N] = next_count_headers[in_vc*N+:N] + 1;
    if (granted) next_count_headers[granted_vc*N+:N] = next_count_headers[granted_vc*N+:N] - 1;
    for (int v = 0; v < VC; v = v + 1) begin
      has_flit[v] = count[v*N+:N] != 0;
      waits[v] = count_headers[v*N+:N] != 0;
      header[v] = headers[at(B'(v), read_header[v*A+:A])];
    end
    flit = '0;
    if (take)
      flit = {
        flits[at(take_vc, read[take_vc*A+:A])][W+:2],
        take_vc,
        sent_header,
        flits[at(take_vc, read[take_vc*A+:A])][W-1:0]
      };
  end

  always_ff @(posedge clk) begin
    if (push) begin
      flits[at(in_vc, write[in_vc*A+:A])] <= {in_head, in_tail, in_data};
      write[in_vc*A+:A] <= after(write[in_vc*A+:A]);
    end
    if (push_header) begin
      headers[at(in_vc, write_header[in_vc*A+:A])] <= in_header;
      write_header[in_vc*A+:A] <= after(write_header[in_vc*A+:A]);
    end
    if (take) read[take_vc*A+:A] <= after(read[take_vc*A+:A]);
    if (granted) begin
      read_header[granted_vc*A+:A] <= after(read_header[granted_vc*A+:A]);
      sent_header <= headers[at(granted_vc, read_header[granted_vc*A+:A])];
    end
    count <= next_count;
    count_headers <= next_count_headers;
    in_credit <= take;
    in_credit_vc <= take ? take_vc : '0;
    if (!rst_n) begin
      write <= '0;
      read <= '0;
      write_header <= '0;
      read_header <= '0;
      count <= '0;
      count_headers <= '0;
      in_credit <= 1'b0;
      in_credit_vc <= '0;
    end
  end

`ifndef SYNTHESIS
  // A head comes after a tail, on each channel; a packet has the flits that its header says; no flow goes back.
  localparam int FLIT_BYTES = W / 8;
  logic [VC-1:0] in_packet;
  logic [VC*24-1:0] left;  // flits to come
  logic due, last_due, has_room, can_take, can_grant;
  assign due = in_packet[in_vc];
  assign last_due = left[in_vc*24+:24] == 1;
  assign has_room = count[in_vc*N+:N] != N'(DEPTH);
  assign can_take = has_flit[take_vc];
  assign can_grant = waits[granted_vc];
  always_ff @(posedge clk)
    if (!rst_n) in_packet <= '0;
    else if (in_valid) begin
      in_packet[in_vc] <= !in_tail;
      left[in_vc*24+:24] <=
          in_head ? 24'((32'(in_header[63:40]) + FLIT_BYTES - 1) / FLIT_BYTES) - 1 : left[in_vc*24+:24] - 1;
    end
  heads_and_tails : assert property (@(posedge clk) disable iff (!rst_n) in_valid |-> in_head != due);
  length : assert property (@(posedge clk) disable iff (!rst_n) in_valid && !in_head |-> in_tail == last_due);
  credits_kept : assert property (@(posedge clk) disable iff (!rst_n) in_valid |-> has_room);
  reads_a_flit : assert property (@(posedge clk) disable iff (!rst_n) take |-> can_take);
  grants_a_packet : assert property (@(posedge clk) disable iff (!rst_n) granted |-> can_grant);
`endif
endmodule
