// SPDX-License-Identifier: Apache-2.0
// A FRED_m(P) switch: input buffers with credits, a control unit with stored configurations, the interconnect of
// µswitches, once or more side by side, and queues behind it. A head that comes alone is at the output stages(P) + 2 cycles
// later. README.md has pins and timing.
module fred_switch #(
    parameter int P = 8,  // ports
    parameter int M = 3,  // middle switches
    parameter int W = 128,  // bits of a flit, a power of two of at least 32
    parameter int VC = 2,  // virtual channels: queues of an input
    parameter int DEPTH = 32,  // of an input buffer, flits per channel
    parameter int OUT_DEPTH = DEPTH,  // of the next buffers
    parameter int QUEUE = DEPTH,  // flits of an output and channel behind the interconnect, as long as a packet at least
    parameter int PLANES = 3,  // interconnects side by side
    parameter int SLOTS = 64,  // packets of an input that have crossed and not left
    parameter int FLOWS = 32,  // stored configurations
    parameter int DATA_TYPE = 2,  // 0: INT32, 1: BF16, 2: each flow's
    parameter int PRIORITIES = 4,  // at most 8
    parameter int PHASE_RULE = 0,  // 0, 1; both can be changed: flow_table.sv
    parameter int PHASE_CHANGE = 0,  // cycles
    parameter int GROUPS = 4  // phases of a flow that wait, see phase_gate.sv
) (
    input logic clk,
    input logic rst_n,
    input logic [P-1:0] in_valid,
    input logic [P-1:0] in_head,
    input logic [P-1:0] in_tail,
    input logic [P*fred_pkg::bits(VC)-1:0] in_vc,
    input logic [P*64-1:0] in_header,  // with the head
    input logic [P*W-1:0] in_data,
    output logic [P-1:0] in_credit,
    output logic [P*fred_pkg::bits(VC)-1:0] in_credit_vc,
    output logic [P-1:0] out_valid,
    output logic [P-1:0] out_head,
    output logic [P-1:0] out_tail,
    output logic [P*fred_pkg::bits(VC)-1:0] out_vc,
    output logic [P*64-1:0] out_header,  // with every flit
    output logic [P*W-1:0] out_data,
    input logic [P-1:0] out_credit,
    input logic [P*fred_pkg::bits(VC)-1:0] out_credit_vc,
    input logic cfg_valid,
    input logic [15:0] cfg_flow,
    input logic [7:0] cfg_word,
    input logic [31:0] cfg_data
);
`include "mutations.svh"
  import fred_pkg::*;
  localparam int B = bits(VC);
  localparam int K = bits(PLANES);
  localparam int SB = bits(SLOTS);
  localparam int ID = bits(P);
  localparam int LEVELS = levels(P);
  localparam int WAY = (LEVELS > 0 ? LEVELS : 1) * bits(M);
  localparam int TAG = 2 + ID + WAY;
  localparam int SIDE = 2 + B + 64;  // {head, tail, channel, header}
  localparam int F = SIDE + W;
  localparam int N = $clog2(QUEUE + 1);
  localparam int STAGES = stages(P);

`ifdef WAFERTLM_MUTATIONS
  initial if ($value$plusargs("fred_mutation=%d", fred_mutation_pkg::selected) == 0) fred_mutation_pkg::selected = 0;
`endif

  // ---- stored configurations
  logic [FLOWS-1:0] is_open, flow_bf16, flow_may_go, grant_flow;
  logic [FLOWS*32-1:0] flow_left;
  logic phase_rule;
  logic [15:0] phase_change;
  logic [FLOWS*8-1:0] priorities;
  logic [FLOWS*P-1:0] flow_inputs, flow_outputs, from_above;
  logic [FLOWS*WAY-1:0] ways;
  flow_table #(
      .P(P),
      .M(M),
      .FLOWS(FLOWS),
      .LEVELS(LEVELS),
      .PHASE_RULE(PHASE_RULE),
      .PHASE_CHANGE(PHASE_CHANGE)
  ) table_of_flows (
      .clk(clk),
      .rst_n(rst_n),
      .cfg_valid(cfg_valid),
      .cfg_flow(cfg_flow),
      .cfg_word(cfg_word),
      .cfg_data(cfg_data),
      .granted(grant_flow),
      .is_open(is_open),
      .bf16(flow_bf16),
      .priorities(priorities),
      .inputs(flow_inputs),
      .outputs(flow_outputs),
      .from_above(from_above),
      .ways(ways),
      .left(flow_left),
      .phase_rule(phase_rule),
      .phase_change(phase_change)
  );

  // ---- input buffers
  logic [P*VC-1:0] waits, has_flit;
  logic [P*PLANES-1:0] granted, take;
  logic [P*PLANES*B-1:0] granted_vc, take_vc;
  logic [63:0] header[P*VC];
  logic [P-1:0] kept;
  logic [F-1:0] net_in[PLANES][P], net_out[PLANES][P];
  for (genvar i = 0; i < P; i = i + 1) begin : g_input
    logic [63:0] headers[VC];
    logic [F-1:0] flits[PLANES];
    for (genvar v = 0; v < VC; v = v + 1) begin : g_header
      assign header[i*VC+v] = headers[v];
    end
    for (genvar k = 0; k < PLANES; k = k + 1) begin : g_plane
      assign net_in[k][i] = flits[k];
    end
`ifdef WAFERTLM_MUTATIONS
    // Mutation 2: a packet is dropped that comes when eight flits of its channel have not left.
    logic [VC*16-1:0] held;
    logic dropping;
    assign kept[i] = in_valid[i] && !(`FRED_MUTATION(2) && (in_head[i] ? held[in_vc[B*i+:B]*16+:16] >= 8 : dropping));
    always_ff @(posedge clk) begin
      if (in_valid[i] && in_head[i]) dropping <= !kept[i];
      for (int v = 0; v < VC; v = v + 1)
        held[v*16+:16] <= rst_n ? held[v*16+:16] + 16'(kept[i] && in_vc[B*i+:B] == B'(v)) -
                                  16'(in_credit[i] && in_credit_vc[B*i+:B] == B'(v)) : '0;
    end
`else
    assign kept[i] = in_valid[i];
`endif
    input_buffer #(
        .W(W),
        .VC(VC),
        .DEPTH(DEPTH),
        .PLANES(PLANES)
    ) buffer (
        .clk(clk),
        .rst_n(rst_n),
        .in_valid(kept[i]),
        .in_head(in_head[i]),
        .in_tail(in_tail[i]),
        .in_vc(in_vc[B*i+:B]),
        .in_header(in_header[64*i+:64]),
        .in_data(in_data[W*i+:W]),
        .waits(waits[VC*i+:VC]),
        .header(headers),
        .granted(granted[PLANES*i+:PLANES]),
        .granted_vc(granted_vc[PLANES*B*i+:PLANES*B]),
        .has_flit(has_flit[VC*i+:VC]),
        .take(take[PLANES*i+:PLANES]),
        .take_vc(take_vc[PLANES*B*i+:PLANES*B]),
        .flit(flits)
    );
  end

  // ---- phases
  localparam int FB = bits(FLOWS);
  logic [P-1:0] arrives;
  logic [P*FB-1:0] arrives_flow;
  for (genvar i = 0; i < P; i = i + 1) begin : g_arrives
    always_ff @(posedge clk) begin
      arrives[i] <= rst_n && kept[i] && in_head[i] && !in_header[64*i+15];
      arrives_flow[i*FB+:FB] <= in_header[64*i+:FB];
    end
  end
  phase_gate #(
      .P(P),
      .FLOWS(FLOWS),
      .N($clog2(DEPTH + 1)),
      .GROUPS(GROUPS)
  ) gate (
      .clk(clk),
      .rst_n(rst_n),
      .phase_rule(phase_rule),
      .phase_change(phase_change),
      .arrives(arrives),
      .arrives_flow(arrives_flow),
      .is_open(is_open),
      .priorities(priorities),
      .inputs(flow_inputs),
      .from_above(from_above),
      .left(flow_left),
      .granted(grant_flow),
      .may_go(flow_may_go)
  );

  // ---- packets on their way into a plane, each kept at [plane][lowest of its inputs]
  localparam int ALL = PLANES * P;
  logic [ALL-1:0] active, packet_bf16, advances, ends, staying, busy_in, busy_out;
  logic [ALL*P-1:0] packet_in, packet_out;
  logic [ALL*WAY-1:0] packet_way;
  logic [ALL*B-1:0] packet_vc;
  logic [23:0] left[ALL];
  logic [ALL*SB-1:0] packet_slot;
  logic [ALL-1:0] leaving;  // its last copy
  logic [P*VC-1:0] busy_channels;

  always_comb begin
    advances = '0;
    ends = '0;
    staying = '0;
    busy_in = '0;
    busy_out = '0;
    busy_channels = '0;
    for (int s = 0; s < ALL; s = s + 1)
      if (active[s]) begin
        advances[s] = 1'b1;
        for (int i = 0; i < P; i = i + 1)
          if (packet_in[s*P+i] && !has_flit[i*VC+32'(packet_vc[s*B+:B])]) advances[s] = 1'b0;
        ends[s] = advances[s] && left[s] == 1;
        staying[s] = !ends[s];
        if (staying[s]) begin
          busy_in[s/P*P+:P] = busy_in[s/P*P+:P] | packet_in[s*P+:P];
          busy_out[s/P*P+:P] = busy_out[s/P*P+:P] | packet_out[s*P+:P];
          for (int i = 0; i < P; i = i + 1) if (packet_in[s*P+i]) busy_channels[i*VC+32'(packet_vc[s*B+:B])] = 1'b1;
        end
      end
  end

  logic [P-1:0] grant, grant_bf16, slot_free;
  logic [P*K-1:0] grant_plane;
  logic [P*P-1:0] grant_in, grant_out;
  logic [P*WAY-1:0] grant_way;
  logic [P*B-1:0] grant_vc;
  logic [P*24-1:0] grant_flits;
  logic [P*8-1:0] grant_priority;
  logic [P*SB-1:0] grant_slot;
  logic [P*VC*N-1:0] room;
  control_unit #(
      .P(P),
      .M(M),
      .PLANES(PLANES),
      .VC(VC),
      .FLOWS(FLOWS),
      .LEVELS(LEVELS),
      .WAY(WAY),
      .FLIT_BYTES(W / 8),
      .ROOM(N),
      .PRIORITIES(PRIORITIES)
  ) control (
      .clk(clk),
      .rst_n(rst_n),
      .waits(waits),
      .header(header),
      .is_open(is_open),
      .bf16(flow_bf16),
      .priorities(priorities),
      .inputs(flow_inputs),
      .outputs(flow_outputs),
      .ways(ways),
      .flow_may_go(flow_may_go),
      .busy_in(busy_in),
      .busy_out(busy_out),
      .busy_channels(busy_channels),
      .staying(staying),
      .staying_in(packet_in),
      .staying_out(packet_out),
      .staying_way(packet_way),
      .room(room),
      .slot_free(slot_free),
      .grant(grant),
      .grant_plane(grant_plane),
      .grant_in(grant_in),
      .grant_out(grant_out),
      .grant_way(grant_way),
      .grant_bf16(grant_bf16),
      .grant_vc(grant_vc),
      .grant_flits(grant_flits),
      .grant_priority(grant_priority),
      .grant_flow(grant_flow)
  );

  always_comb begin
    granted = '0;
    granted_vc = '0;
    take = '0;
    take_vc = '0;
    for (int s = 0; s < P; s = s + 1)
      if (grant[s])
        for (int i = 0; i < P; i = i + 1)
          if (grant_in[s*P+i]) begin
            granted[i*PLANES+32'(grant_plane[s*K+:K])] = 1'b1;
            granted_vc[(i*PLANES+32'(grant_plane[s*K+:K]))*B+:B] = grant_vc[s*B+:B];
          end
    for (int s = 0; s < ALL; s = s + 1)
      if (advances[s])
        for (int i = 0; i < P; i = i + 1)
          if (packet_in[s*P+i]) begin
            take[i*PLANES+s/P] = 1'b1;
            take_vc[(i*PLANES+s/P)*B+:B] = packet_vc[s*B+:B];
          end
  end

  for (genvar s = 0; s < ALL; s = s + 1) begin : g_packet
    localparam int FROM = s % P;
    always_ff @(posedge clk)
      if (!rst_n) begin
        active[s] <= 1'b0;
        packet_bf16[s] <= 1'b0;
        packet_in[s*P+:P] <= '0;
        packet_out[s*P+:P] <= '0;
        packet_way[s*WAY+:WAY] <= '0;
        packet_vc[s*B+:B] <= '0;
        packet_slot[s*SB+:SB] <= '0;
        left[s] <= '0;
      end else if (grant[FROM] && grant_plane[FROM*K+:K] == K'(s / P)) begin
        active[s] <= 1'b1;
        packet_bf16[s] <= grant_bf16[FROM];
        packet_in[s*P+:P] <= grant_in[FROM*P+:P];
        packet_out[s*P+:P] <= grant_out[FROM*P+:P];
        packet_way[s*WAY+:WAY] <= grant_way[FROM*WAY+:WAY];
        packet_vc[s*B+:B] <= grant_vc[FROM*B+:B];
        packet_slot[s*SB+:SB] <= grant_slot[FROM*SB+:SB];
        left[s] <= grant_flits[FROM*24+:24];
      end else if (advances[s]) begin
        active[s] <= !ends[s];
        left[s] <= left[s] - 1;
      end
  end

  // ---- interconnect
  logic [P*PLANES-1:0] enters;  // [output][plane]
  logic [P*PLANES*B-1:0] enters_vc;
  logic [ALL*TAG-1:0] in_tag, out_tag;
  always_comb begin
    in_tag = '0;
    out_tag = '0;
    enters = '0;
    enters_vc = '0;
    for (int s = 0; s < ALL; s = s + 1)
      if (advances[s])
        for (int i = 0; i < P; i = i + 1) begin
          if (packet_in[s*P+i])
            in_tag[(s/P*P+i)*TAG+:TAG] = {1'b1, packet_bf16[s], ID'(s % P), packet_way[s*WAY+:WAY]};
          if (packet_out[s*P+i]) begin
            // Mutation 5: the last two middle switches are swapped at the outputs.
            out_tag[(s/P*P+i)*TAG+:TAG] = {
              1'b1, packet_bf16[s], ID'(s % P),
              `FRED_MUTATION(5) && packet_way[s*WAY+:WAY] != 0 ? packet_way[s*WAY+:WAY] ^ WAY'(3) : packet_way[s*WAY+:WAY]
            };
            enters[i*PLANES+s/P] = 1'b1;
            enters_vc[(i*PLANES+s/P)*B+:B] = packet_vc[s*B+:B];
          end
        end
  end
  for (genvar k = 0; k < PLANES; k = k + 1) begin : g_plane
    fred_network #(
        .P(P),
        .M(M),
        .W(W),
        .SIDE(SIDE),
        .ID(ID),
        .TAG(TAG),
        .DATA_TYPE(DATA_TYPE)
    ) network (
        .clk(clk),
        .rst_n(rst_n),
        .in_tag(in_tag[k*P*TAG+:P*TAG]),
        .out_tag(out_tag[k*P*TAG+:P*TAG]),
        .in_flit(net_in[k]),
        .out_flit(net_out[k])
    );
  end

  // ---- outputs
  logic [P-1:0] starts;
  logic [P*ID-1:0] starts_source;
  logic [P*SB-1:0] starts_slot;
  logic [P*N-1:0] sizes;
  for (genvar s = 0; s < P; s = s + 1) begin : g_size
    assign sizes[s*N+:N] = N'(grant_flits[s*24+:24]);
  end
  for (genvar o = 0; o < P; o = o + 1) begin : g_output
    logic [P-1:0] comes;
    logic [F-1:0] from_planes[PLANES];
    logic [F-1:0] flit;
    for (genvar s = 0; s < P; s = s + 1) begin : g_from
      assign comes[s] = grant[s] && grant_out[s*P+o];
    end
    for (genvar k = 0; k < PLANES; k = k + 1) begin : g_plane
      assign from_planes[k] = net_out[k][o];
    end
    output_queue #(
        .P(P),
        .PLANES(PLANES),
        .VC(VC),
        .DEPTH(QUEUE),
        .OUT_DEPTH(OUT_DEPTH),
        .STAGES(STAGES),
        .SLOTS(SLOTS),
        .F(F)
    ) line (
        .clk(clk),
        .rst_n(rst_n),
        .granted(comes),
        .granted_plane(grant_plane),
        .granted_vc(grant_vc),
        .granted_flits(sizes),
        .granted_priority(grant_priority),
        .granted_slot(grant_slot),
        .room(room[o*VC*N+:VC*N]),
        .enters(enters[o*PLANES+:PLANES]),
        .enters_vc(enters_vc[o*PLANES*B+:PLANES*B]),
        .arriving(from_planes),
        .out_credit(out_credit[o]),
        .out_credit_vc(out_credit_vc[B*o+:B]),
        .starts(starts[o]),
        .starts_source(starts_source[o*ID+:ID]),
        .starts_slot(starts_slot[o*SB+:SB]),
        .out_valid(out_valid[o]),
        .out_flit(flit)
    );
    assign {out_head[o], out_tail[o], out_vc[o*B+:B], out_header[o*64+:64], out_data[o*W+:W]} = flit;
  end

  // ---- room in the input buffers, when the last copy of a packet goes; it may go before all of the packet has come
  logic [P-1:0] done;
  logic [P*SB-1:0] done_slot;
  logic [P*PLANES-1:0] take_leaving;
  logic [P*N-1:0] done_size;
  always_comb begin
    take_leaving = '0;
    done_flits = done_size;
    for (int s = 0; s < ALL; s = s + 1) begin
      if (active[s] && !leaving[s] && done[s%P] && packet_slot[s*SB+:SB] == done_slot[s%P*SB+:SB])
        done_flits[s%P*N+:N] = done_flits[s%P*N+:N] - N'(left[s]) + N'(advances[s]);
      for (int i = 0; i < P; i = i + 1)
        if (packet_in[s*P+i]) take_leaving[i*PLANES+s/P] = take_leaving[i*PLANES+s/P] | (advances[s] && leaving[s]);
    end
  end
  for (genvar s = 0; s < ALL; s = s + 1) begin : g_leaving
    always_ff @(posedge clk)
      if (!rst_n || grant[s%P] && grant_plane[s%P*K+:K] == K'(s / P)) leaving[s] <= 1'b0;
      else if (active[s] && done[s%P] && packet_slot[s*SB+:SB] == done_slot[s%P*SB+:SB]) leaving[s] <= 1'b1;
  end
  logic [P*P-1:0] done_in;
  logic [P*B-1:0] done_vc;
  logic [P*N-1:0] done_flits;
  for (genvar i = 0; i < P; i = i + 1) begin : g_copies
    logic [P-1:0] leaves, mine;
    for (genvar o = 0; o < P; o = o + 1) begin : g_at
      assign leaves[o] = starts[o] && starts_source[o*ID+:ID] == ID'(i);
      assign mine[o] = done[o] && done_in[o*P+i];
    end
    copy_table #(
        .P(P),
        .VC(VC),
        .N(N),
        .SLOTS(SLOTS)
    ) copies (
        .clk(clk),
        .rst_n(rst_n),
        .granted(grant[i]),
        .granted_in(grant_in[i*P+:P]),
        .granted_out(grant_out[i*P+:P]),
        .granted_vc(grant_vc[i*B+:B]),
        .granted_flits(sizes[i*N+:N]),
        .slot(grant_slot[i*SB+:SB]),
        .slot_free(slot_free[i]),
        .leaves(leaves),
        .leaves_slot(starts_slot),
        .done(done[i]),
        .done_slot(done_slot[i*SB+:SB]),
        .done_in(done_in[i*P+:P]),
        .done_vc(done_vc[i*B+:B]),
        .done_flits(done_size[i*N+:N])
    );
    credit_return #(
        .P(P),
        .VC(VC),
        .N($clog2(DEPTH + 1)),
        .FLITS(N),
        .PLANES(PLANES)
    ) back (
        .clk(clk),
        .rst_n(rst_n),
        .done(mine),
        .done_vc(done_vc),
        .done_flits(done_flits),
        .take(take_leaving[i*PLANES+:PLANES]),
        .take_vc(take_vc[i*PLANES*B+:PLANES*B]),
        .in_credit(in_credit[i]),
        .in_credit_vc(in_credit_vc[i*B+:B])
    );
  end
endmodule
