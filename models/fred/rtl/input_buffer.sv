// SPDX-License-Identifier: Apache-2.0
// The buffer of an input port: for every virtual channel a queue of flits and one of the headers of its packets, so that
// the next packet's header is known before the last flit of the one before it has gone. Every plane of the interconnect
// may read a channel.
module input_buffer #(
    parameter int W = 128,
    parameter int VC = 2,
    parameter int DEPTH = 32,  // flits per channel
    parameter int PLANES = 3
) (
    input logic clk,
    input logic rst_n,
    input logic in_valid,
    input logic in_head,
    input logic in_tail,
    input logic [fred_pkg::bits(VC)-1:0] in_vc,
    input logic [63:0] in_header,
    input logic [W-1:0] in_data,
    // The oldest packet of every channel that has not been granted; grants, for each plane.
    output logic [VC-1:0] waits,
    output logic [63:0] header[VC],
    input logic [PLANES-1:0] granted,
    input logic [PLANES*fred_pkg::bits(VC)-1:0] granted_vc,
    // The channels with a flit; each plane may read another channel: {head, tail, channel, header, data}.
    output logic [VC-1:0] has_flit,
    input logic [PLANES-1:0] take,
    input logic [PLANES*fred_pkg::bits(VC)-1:0] take_vc,
    output logic [2+fred_pkg::bits(VC)+64+W-1:0] flit[PLANES]
);
  // verilator no_inline_module
  localparam int B = fred_pkg::bits(VC);
  localparam int A = fred_pkg::bits(DEPTH);
  localparam int N = $clog2(DEPTH + 1);
  localparam int AT = $clog2(VC * DEPTH);

  logic [W+1:0] flits[VC*DEPTH];  // {head, tail, data}
  logic [63:0] headers[VC*DEPTH];
  logic [VC*A-1:0] write, read, write_header, read_header;
  logic [VC*N-1:0] count, next_count, count_headers, next_count_headers;
  logic [63:0] sent_header[PLANES];  // of the packet that is read
  logic push_header;
  assign push_header = in_valid && in_head;

  function automatic logic [A-1:0] after(input logic [A-1:0] place);
    after = place == A'(DEPTH - 1) ? '0 : place + 1;
  endfunction
  function automatic logic [AT-1:0] at(input logic [B-1:0] channel, input logic [A-1:0] place);
    at = AT'(channel) * AT'(DEPTH) + AT'(place);
  endfunction

  always_comb begin
    next_count = count;
    next_count_headers = count_headers;
    if (in_valid) next_count[in_vc*N+:N] = next_count[in_vc*N+:N] + 1;
    if (push_header) next_count_headers[in_vc*N+:N] = next_count_headers[in_vc*N+:N] + 1;
    for (int v = 0; v < VC; v = v + 1) begin
      has_flit[v] = count[v*N+:N] != 0;
      waits[v] = count_headers[v*N+:N] != 0;
      header[v] = headers[at(B'(v), read_header[v*A+:A])];
    end
    for (int k = 0; k < PLANES; k = k + 1) begin
      logic [B-1:0] vc;
      vc = take_vc[k*B+:B];
      flit[k] = '0;
      if (take[k]) begin
        flit[k] = {flits[at(vc, read[vc*A+:A])][W+:2], vc, sent_header[k], flits[at(vc, read[vc*A+:A])][W-1:0]};
        next_count[vc*N+:N] = next_count[vc*N+:N] - 1;
      end
      vc = granted_vc[k*B+:B];
      if (granted[k]) next_count_headers[vc*N+:N] = next_count_headers[vc*N+:N] - 1;
    end
  end

  always_ff @(posedge clk) begin
    if (in_valid) begin
      flits[at(in_vc, write[in_vc*A+:A])] <= {in_head, in_tail, in_data};
      write[in_vc*A+:A] <= after(write[in_vc*A+:A]);
    end
    if (push_header) begin
      headers[at(in_vc, write_header[in_vc*A+:A])] <= in_header;
      write_header[in_vc*A+:A] <= after(write_header[in_vc*A+:A]);
    end
    for (int k = 0; k < PLANES; k = k + 1) begin
      if (take[k]) read[take_vc[k*B+:B]*A+:A] <= after(read[take_vc[k*B+:B]*A+:A]);
      if (granted[k]) read_header[granted_vc[k*B+:B]*A+:A] <= after(read_header[granted_vc[k*B+:B]*A+:A]);
    end
    count <= next_count;
    count_headers <= next_count_headers;
    if (!rst_n) begin
      write <= '0;
      read <= '0;
      write_header <= '0;
      read_header <= '0;
      count <= '0;
      count_headers <= '0;
    end
  end

  for (genvar k = 0; k < PLANES; k = k + 1) begin : g_plane
    always_ff @(posedge clk) if (granted[k]) sent_header[k] <= header[granted_vc[k*B+:B]];
  end

`ifndef SYNTHESIS
  // A head comes after a tail, on each channel; a packet has the flits that its header says; no flow goes back.
  localparam int FLIT_BYTES = W / 8;
  logic [VC-1:0] in_packet;
  logic [VC*24-1:0] left;  // flits to come
  logic due, last_due, has_room;
  logic [PLANES-1:0] can_take, can_grant;
  assign due = in_packet[in_vc];
  assign last_due = left[in_vc*24+:24] == 1;
  assign has_room = count[in_vc*N+:N] != N'(DEPTH);
  for (genvar k = 0; k < PLANES; k = k + 1) begin : g_check
    assign can_take[k] = !take[k] || has_flit[take_vc[k*B+:B]];
    assign can_grant[k] = !granted[k] || waits[granted_vc[k*B+:B]];
  end
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
  reads_a_flit : assert property (@(posedge clk) disable iff (!rst_n) &can_take);
  grants_a_packet : assert property (@(posedge clk) disable iff (!rst_n) &can_grant);
`endif
endmodule
