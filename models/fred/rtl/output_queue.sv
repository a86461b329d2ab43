// SPDX-License-Identifier: Apache-2.0
// What waits behind the interconnect for an output, and who goes: of the packets at the front of a channel that have credits
// for all of them the one of the highest priority, within one the channels in turn. It is decided when a packet's flits
// enter the interconnect, STAGES cycles before they can leave. A queue of flits for every plane and channel, one of packets
// for every channel.
module output_queue #(
    parameter int P = 8,
    parameter int PLANES = 3,
    parameter int VC = 2,
    parameter int DEPTH = 32,  // flits per channel
    parameter int OUT_DEPTH = 32,  // of the next buffer
    parameter int STAGES = 5,
    parameter int SLOTS = 64,
    parameter int F = 198,  // bits of a flit
    parameter int N = $clog2(DEPTH + 1)
) (
    input logic clk,
    input logic rst_n,
    // Packets that were granted, by their lowest input; one for a channel.
    input logic [P-1:0] granted,
    input logic [P*fred_pkg::bits(PLANES)-1:0] granted_plane,
    input logic [P*fred_pkg::bits(VC)-1:0] granted_vc,
    input logic [P*N-1:0] granted_flits,
    input logic [P*8-1:0] granted_priority,
    input logic [P*fred_pkg::bits(SLOTS)-1:0] granted_slot,
    output logic [VC*N-1:0] room,
    // A flit enters a plane, and arrives.
    input logic [PLANES-1:0] enters,
    input logic [PLANES*fred_pkg::bits(VC)-1:0] enters_vc,
    input logic [F-1:0] arriving[PLANES],
    input logic out_credit,
    input logic [fred_pkg::bits(VC)-1:0] out_credit_vc,
    // The packet that begins to leave.
    output logic starts,
    output logic [fred_pkg::bits(P)-1:0] starts_source,
    output logic [fred_pkg::bits(SLOTS)-1:0] starts_slot,
    output logic out_valid,
    output logic [F-1:0] out_flit
);
  // verilator no_inline_module
  localparam int B = fred_pkg::bits(VC);
  localparam int K = fred_pkg::bits(PLANES);
  localparam int ID = fred_pkg::bits(P);
  localparam int SB = fred_pkg::bits(SLOTS);
  localparam int A = fred_pkg::bits(DEPTH);
  localparam int AT = $clog2(VC * DEPTH);
  localparam int CREDIT = $clog2(OUT_DEPTH + 1);
  localparam int H = 8 + K + N + ID + SB;

  function automatic logic [A-1:0] after(input logic [A-1:0] place);
    after = place == A'(DEPTH - 1) ? '0 : place + 1;
  endfunction
  // ---- packets
  logic [H-1:0] fronts[VC], last[VC];  // {priority, plane, flits, source, slot}: the oldest, and what comes
  logic [VC-1:0] comes;
  logic [VC*A-1:0] write, read;
  logic [VC*N-1:0] waiting, next_waiting, next_room;
  logic [PLANES*VC*N-1:0] entered, next_entered;  // and not sent

  // ---- credits, taken into account a cycle after they have come
  logic credit;
  logic [B-1:0] credit_vc;
  logic [VC*CREDIT-1:0] credits;
  always_ff @(posedge clk) begin
    credit <= rst_n && out_credit;
    credit_vc <= out_credit_vc;
  end

  // ---- the line
  logic [N-1:0] left;  // of the packet on it
  logic [B-1:0] line_vc, turn, vc;
  logic [K-1:0] line_plane, plane;
  logic found, sends;
  logic [H-1:0] best, front;
  always_comb begin
    int v;
    v = 0;
    found = 1'b0;
    best = '0;
    front = '0;
    vc = line_vc;
    plane = line_plane;
    if (left == 0 && waiting != 0) begin
      for (int i = 0; i < VC; i = i + 1) begin
        v = 32'(turn) + i < VC ? 32'(turn) + i : 32'(turn) + i - VC;
        if (waiting[v*N+:N] != 0) begin
          front = fronts[v];
          if (32'(credits[v*CREDIT+:CREDIT]) >= 32'(front[SB+ID+:N]) && (!found || front[H-1-:8] > best[H-1-:8])) begin
            found = 1'b1;
            best = front;
            vc = B'(v);
          end
        end
      end
      plane = best[SB+ID+N+:K];
    end
    starts = found;
    starts_source = best[SB+:ID];
    starts_slot = best[0+:SB];
    sends = (found || left != 0) && (entered[(32'(plane)*VC+32'(vc))*N+:N] != 0 ||
                                     (enters[plane] && enters_vc[plane*B+:B] == vc));

    next_waiting = waiting;
    next_room = room;
    next_entered = entered;
    comes = '0;
    for (int i = 0; i < VC; i = i + 1) last[i] = '0;
    for (int s = 0; s < P; s = s + 1)
      if (granted[s]) begin
        comes[granted_vc[s*B+:B]] = 1'b1;
        last[granted_vc[s*B+:B]] = {
          granted_priority[s*8+:8], granted_plane[s*K+:K], granted_flits[s*N+:N], ID'(s), granted_slot[s*SB+:SB]
        };
        next_waiting[granted_vc[s*B+:B]*N+:N] = next_waiting[granted_vc[s*B+:B]*N+:N] + 1;
        next_room[granted_vc[s*B+:B]*N+:N] = next_room[granted_vc[s*B+:B]*N+:N] - granted_flits[s*N+:N];
      end
    if (starts) next_waiting[vc*N+:N] = next_waiting[vc*N+:N] - 1;
    for (int k = 0; k < PLANES; k = k + 1)
      if (enters[k])
        next_entered[(k*VC+32'(enters_vc[k*B+:B]))*N+:N] = next_entered[(k*VC+32'(enters_vc[k*B+:B]))*N+:N] + 1;
    if (sends) begin
      next_room[vc*N+:N] = next_room[vc*N+:N] + 1;
      next_entered[(32'(plane)*VC+32'(vc))*N+:N] = next_entered[(32'(plane)*VC+32'(vc))*N+:N] - 1;
    end
  end

  always_ff @(posedge clk)
    if (!rst_n) begin
      read <= '0;
      waiting <= '0;
      room <= {VC{N'(DEPTH)}};
      entered <= '0;
      left <= '0;
      line_vc <= '0;
      line_plane <= '0;
      turn <= '0;
    end else begin
      if (starts) begin
        read[vc*A+:A] <= after(read[vc*A+:A]);
        line_vc <= vc;
        line_plane <= plane;
        turn <= vc == B'(VC - 1) ? '0 : vc + 1;
        left <= best[SB+ID+:N] - N'(sends);
      end else if (sends) left <= left - 1;
      waiting <= next_waiting;
      room <= next_room;
      entered <= next_entered;
    end

  for (genvar v = 0; v < VC; v = v + 1) begin : g_channel
    logic [H-1:0] packets[DEPTH];
    assign fronts[v] = packets[read[v*A+:A]];
    always_ff @(posedge clk) begin
      if (comes[v]) packets[write[v*A+:A]] <= last[v];
      if (!rst_n) write[v*A+:A] <= '0;
      else if (comes[v]) write[v*A+:A] <= after(write[v*A+:A]);
    end
  end

  output_credits #(
      .VC(VC),
      .DEPTH(OUT_DEPTH)
  ) behind (
      .clk(clk),
      .rst_n(rst_n),
      .out_credit(credit),
      .out_credit_vc(credit_vc),
      .take(starts),
      .take_vc(vc),
      .take_flits(CREDIT'(best[SB+ID+:N])),
      .credits(credits)
  );

  // ---- flits, STAGES cycles later
  logic [F-1:0] oldest[PLANES];
  logic [PLANES*VC*A-1:0] write_flit, read_flit;
  logic [PLANES*VC*N-1:0] stored, next_stored;
  logic [PLANES-1:0] arrives;
  logic [PLANES*B-1:0] arrives_vc;
  logic [K-1:0] out_plane;
  logic [B-1:0] out_vc;
  logic is_there;
  delay_line #(
      .WIDTH (PLANES * (1 + B) + 1 + K + B),
      .CYCLES(STAGES)
  ) later (
      .clk(clk),
      .rst_n(rst_n),
      .in({enters, enters_vc, sends, plane, vc}),
      .out({arrives, arrives_vc, out_valid, out_plane, out_vc})
  );
  always_comb begin
    int q;
    q = 32'(out_plane) * VC + 32'(out_vc);
    is_there = stored[q*N+:N] != 0;
    out_flit = out_valid && is_there ? oldest[out_plane] : arriving[out_plane];
    next_stored = stored;
    for (int k = 0; k < PLANES; k = k + 1)
      if (arrives[k])
        next_stored[(k*VC+32'(arrives_vc[k*B+:B]))*N+:N] = next_stored[(k*VC+32'(arrives_vc[k*B+:B]))*N+:N] + 1;
    if (out_valid) next_stored[q*N+:N] = next_stored[q*N+:N] - 1;
  end
  always_ff @(posedge clk)
    if (!rst_n) begin
      write_flit <= '0;
      read_flit <= '0;
      stored <= '0;
    end else begin
      stored <= next_stored;
      for (int k = 0; k < PLANES; k = k + 1)
        if (arrives[k])
          write_flit[(k*VC+32'(arrives_vc[k*B+:B]))*A+:A] <= after(write_flit[(k*VC+32'(arrives_vc[k*B+:B]))*A+:A]);
      if (out_valid)
        read_flit[(32'(out_plane)*VC+32'(out_vc))*A+:A] <= after(read_flit[(32'(out_plane)*VC+32'(out_vc))*A+:A]);
    end

  for (genvar k = 0; k < PLANES; k = k + 1) begin : g_plane
    logic [F-1:0] flits[VC*DEPTH];
    logic [B-1:0] to;
    assign to = arrives_vc[k*B+:B];
    assign oldest[k] = flits[AT'(32'(out_vc)*DEPTH)+AT'(read_flit[(k*VC+32'(out_vc))*A+:A])];
    always_ff @(posedge clk)
      if (arrives[k]) flits[AT'(32'(to)*DEPTH)+AT'(write_flit[(k*VC+32'(to))*A+:A])] <= arriving[k];
  end

`ifndef SYNTHESIS
  logic [VC-1:0] overfull;
  always_comb for (int v = 0; v < VC; v = v + 1) overfull[v] = next_room[v*N+:N] > N'(DEPTH);
  has_room : assert property (@(posedge clk) disable iff (!rst_n) overfull == 0);
  comes_now : assert property (@(posedge clk) disable iff (!rst_n)
    out_valid && !is_there |-> arrives[out_plane] && arrives_vc[out_plane*B+:B] == out_vc);
`endif
endmodule
