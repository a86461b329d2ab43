// SPDX-License-Identifier: Apache-2.0
// Where the flits of one virtual channel of an input are, in one queue or in one for each output. The queues share DEPTH
// places: a list links the flits of each, and a ring keeps the places that are free again. What a flit carries is in the
// memory of the input.
module channel_buffer #(
    parameter int P = 5,
    parameter int DEPTH = 32,
    parameter int PER_OUTPUT = 1,
    parameter int A = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
    input logic clk,
    input logic rst_n,
    input logic put,
    input logic put_head,
    input logic put_tail,
    input logic [7:0] put_output,  // of the packet
    input logic [63:0] put_header,  // with its head
    output logic [A-1:0] place,  // of what is put
    // The queue that each output reads: whether a packet for it is at the front and has not begun, its header; a flit.
    output logic [P-1:0] waits,
    output logic [P*64-1:0] header,
    output logic [P-1:0] has_flit,
    input logic [P-1:0] take,
    output logic [P*A-1:0] front  // its place
);
  localparam int Q = PER_OUTPUT != 0 ? P : 1;
  localparam int QB = Q > 1 ? $clog2(Q) : 1;
  localparam int N = $clog2(DEPTH + 1);

  logic tails[DEPTH];
  logic [63:0] headers[DEPTH];
  logic [A-1:0] next_place[DEPTH], free_place[DEPTH];
  logic [A-1:0] first[Q], last[Q];
  logic [N-1:0] count[Q];
  logic [Q-1:0] leaving;  // the packet at the front has begun to leave
  logic [Q-1:0] taken, taken_tail;
  logic [N-1:0] fresh;  // places that were never used
  logic [A-1:0] free_read, free_write, next_free_write;
  logic [A-1:0] freed_at[Q];
  logic [QB-1:0] put_queue;

  function automatic logic [A-1:0] after(input logic [A-1:0] at);
    after = at == A'(DEPTH - 1) ? '0 : at + 1;
  endfunction

  assign place = fresh != N'(DEPTH) ? A'(fresh) : free_place[free_read];
  if (PER_OUTPUT != 0) begin : g_queue_per_output
    assign put_queue = QB'(put_output);
    for (genvar o = 0; o < P; o = o + 1) begin : g_output
      assign header[o*64+:64] = headers[first[o]];
      assign has_flit[o] = count[o] != 0;
      assign waits[o] = has_flit[o] && !leaving[o];
      assign front[o*A+:A] = first[o];
      assign taken[o] = take[o];
      assign taken_tail[o] = tails[first[o]];
    end
  end else begin : g_fifo
    assign put_queue = '0;
    assign taken = |take;
    assign taken_tail = tails[first[0]];
    for (genvar o = 0; o < P; o = o + 1) begin : g_output
      assign header[o*64+:64] = headers[first[0]];
      assign has_flit[o] = count[0] != 0;
      assign waits[o] = has_flit[o] && !leaving[0] && headers[first[0]][7:0] == 8'(o);
      assign front[o*A+:A] = first[0];
    end
  end

  always_comb begin
    next_free_write = free_write;
    for (int q = 0; q < Q; q = q + 1) begin
      freed_at[q] = next_free_write;
      if (taken[q]) next_free_write = after(next_free_write);
    end
  end

  always_ff @(posedge clk) begin
    if (put) begin
      tails[place] <= put_tail;
      if (put_head) headers[place] <= put_header;
      last[put_queue] <= place;
      if (count[put_queue] != N'(taken[put_queue])) next_place[last[put_queue]] <= place;
      if (fresh != N'(DEPTH)) fresh <= fresh + 1;
      else free_read <= after(free_read);
    end
    free_write <= next_free_write;
    for (int q = 0; q < Q; q = q + 1) begin
      if (taken[q]) begin
        free_place[freed_at[q]] <= first[q];
        leaving[q] <= !taken_tail[q];
      end
      if (put && put_queue == QB'(q) && count[q] == N'(taken[q])) first[q] <= place;
      else if (taken[q]) first[q] <= next_place[first[q]];
      count[q] <= count[q] + N'(put && put_queue == QB'(q)) - N'(taken[q]);
    end
    if (!rst_n) begin
      for (int q = 0; q < Q; q = q + 1) count[q] <= '0;
      leaving <= '0;
      fresh <= '0;
      free_read <= '0;
      free_write <= '0;
    end
  end

`ifndef SYNTHESIS
  logic [N:0] held;
  logic output_exists;
  logic [Q-1:0] has_taken;
  assign output_exists = 32'(put_output) < P;
  always_comb begin
    held = '0;
    for (int q = 0; q < Q; q = q + 1) begin
      held = held + (N + 1)'(count[q]);
      has_taken[q] = !taken[q] || count[q] != 0;
    end
  end
  credits_kept : assert property (@(posedge clk) disable iff (!rst_n) put |-> held < (N + 1)'(DEPTH));
  output_there : assert property (@(posedge clk) disable iff (!rst_n) put |-> output_exists);
  takes_a_flit : assert property (@(posedge clk) disable iff (!rst_n) &has_taken);
`endif
endmodule
