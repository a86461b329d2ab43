// SPDX-License-Identifier: Apache-2.0
// A FRED_m(P) switch: input buffers with credits, a control unit with stored configurations, the interconnect of
// µswitches. A head that comes alone is at the output stages(P) + 2 cycles later. README.md has pins and timing.
module fred_switch #(
    parameter int P = 8,  // ports
    parameter int M = 3,  // middle switches
    parameter int W = 128,  // bits of a flit, a power of two of at least 32
    parameter int VC = 2,  // virtual channels: queues of an input
    parameter int DEPTH = 32,  // of an input buffer, flits per channel
    parameter int OUT_DEPTH = DEPTH,  // of the next buffers
    parameter int FLOWS = 32,  // stored configurations
    parameter int DATA_TYPE = 2,  // 0: INT32, 1: BF16, 2: each flow's
    parameter int PRIORITIES = 4,  // at most 8
    parameter int PHASE_RULE = 0,  // 0, 1; both can be changed: flow_table.sv
    parameter int PHASE_CHANGE = 0  // cycles
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
  localparam int ID = bits(P);
  localparam int LEVELS = levels(P);
  localparam int WAY = (LEVELS > 0 ? LEVELS : 1) * bits(M);
  localparam int TAG = 2 + ID + WAY;
  localparam int SIDE = 2 + B + 64;  // {head, tail, channel, header}
  localparam int F = SIDE + W;
  localparam int CREDIT = $clog2(OUT_DEPTH + 1);
  localparam int STAGES = stages(P);

`ifdef WAFERTLM_MUTATIONS
  initial if ($value$plusargs("fred_mutation=%d", fred_mutation_pkg::selected) == 0) fred_mutation_pkg::selected = 0;
`endif

  // ---- stored configurations
  logic [FLOWS-1:0] is_open, flow_bf16, unfinished, grant_flow;
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
      .unfinished(unfinished),
      .phase_rule(phase_rule),
      .phase_change(phase_change)
  );

  // ---- input buffers
  logic [P*VC-1:0] waits, has_flit;
  logic [P-1:0] granted, take;
  logic [P*B-1:0] granted_vc, take_vc;
  logic [63:0] header[P*VC];
  logic [F-1:0] net_in[P], net_out[P];
  for (genvar i = 0; i < P; i = i + 1) begin : g_input
    logic [63:0] headers[VC];
    for (genvar v = 0; v < VC; v = v + 1) begin : g_header
      assign header[i*VC+v] = headers[v];
    end
    input_buffer #(
        .W(W),
        .VC(VC),
        .DEPTH(DEPTH)
    ) buffer (
        .clk(clk),
        .rst_n(rst_n),
        .in_valid(in_valid[i]),
        .in_head(in_head[i]),
        .in_tail(in_tail[i]),
        .in_vc(in_vc[B*i+:B]),
        .in_header(in_header[64*i+:64]),
        .in_data(in_data[W*i+:W]),
        .in_credit(in_credit[i]),
        .in_credit_vc(in_credit_vc[B*i+:B]),
        .waits(waits[VC*i+:VC]),
        .header(headers),
        .granted(granted[i]),
        .granted_vc(granted_vc[B*i+:B]),
        .has_flit(has_flit[VC*i+:VC]),
        .take(take[i]),
        .take_vc(take_vc[B*i+:B]),
        .flit(net_in[i])
    );
  end

  // ---- packets on their way, each kept at the lowest of its inputs
  logic [P-1:0] active, packet_bf16, advances, ends, staying;
  logic [P*P-1:0] packet_in, packet_out;
  logic [P*WAY-1:0] packet_way;
  logic [P*B-1:0] packet_vc;
  logic [23:0] left[P];
  logic [P-1:0] busy_in, busy_out;

  always_comb begin
    busy_in = '0;
    busy_out = '0;
    for (int s = 0; s < P; s = s + 1) begin
      advances[s] = active[s];
      for (int i = 0; i < P; i = i + 1)
        if (packet_in[s*P+i] && !has_flit[i*VC+32'(packet_vc[s*B+:B])]) advances[s] = 1'b0;
      ends[s] = advances[s] && left[s] == 1;
      staying[s] = active[s] && !ends[s];
      if (staying[s]) begin
        busy_in = busy_in | packet_in[s*P+:P];
        busy_out = busy_out | packet_out[s*P+:P];
      end
    end
  end

  logic [P-1:0] grant, grant_bf16;
  logic [P*P-1:0] grant_in, grant_out;
  logic [P*WAY-1:0] grant_way;
  logic [P*B-1:0] grant_vc;
  logic [P*24-1:0] grant_flits;
  logic [P*VC*CREDIT-1:0] credits;
  control_unit #(
      .P(P),
      .M(M),
      .VC(VC),
      .FLOWS(FLOWS),
      .LEVELS(LEVELS),
      .WAY(WAY),
      .FLIT_BYTES(W / 8),
      .CREDIT(CREDIT),
      .PRIORITIES(PRIORITIES)
  ) control (
      .clk(clk),
      .rst_n(rst_n),
      .phase_rule(phase_rule),
      .phase_change(phase_change),
      .waits(waits),
      .header(header),
      .is_open(is_open),
      .bf16(flow_bf16),
      .priorities(priorities),
      .inputs(flow_inputs),
      .outputs(flow_outputs),
      .from_above(from_above),
      .ways(ways),
      .unfinished(unfinished),
      .busy_in(busy_in),
      .busy_out(busy_out),
      .staying(staying),
      .staying_in(packet_in),
      .staying_out(packet_out),
      .staying_way(packet_way),
      .credits(credits),
      .grant(grant),
      .grant_in(grant_in),
      .grant_out(grant_out),
      .grant_way(grant_way),
      .grant_bf16(grant_bf16),
      .grant_vc(grant_vc),
      .grant_flits(grant_flits),
      .grant_flow(grant_flow)
  );

  always_comb begin
    granted = '0;
    granted_vc = '0;
    take = '0;
    take_vc = '0;
    for (int s = 0; s < P; s = s + 1)
      for (int i = 0; i < P; i = i + 1) begin
        if (grant[s] && grant_in[s*P+i]) begin
          granted[i] = 1'b1;
          granted_vc[i*B+:B] = grant_vc[s*B+:B];
        end
        if (advances[s] && packet_in[s*P+i]) begin
          take[i] = 1'b1;
          take_vc[i*B+:B] = packet_vc[s*B+:B];
        end
      end
  end

  for (genvar s = 0; s < P; s = s + 1) begin : g_packet
    always_ff @(posedge clk)
      if (!rst_n) begin
        active[s] <= 1'b0;
        packet_bf16[s] <= 1'b0;
        packet_in[s*P+:P] <= '0;
        packet_out[s*P+:P] <= '0;
        packet_way[s*WAY+:WAY] <= '0;
        packet_vc[s*B+:B] <= '0;
        left[s] <= '0;
      end else if (grant[s]) begin
        active[s] <= 1'b1;
        packet_bf16[s] <= grant_bf16[s];
        packet_in[s*P+:P] <= grant_in[s*P+:P];
        packet_out[s*P+:P] <= grant_out[s*P+:P];
        packet_way[s*WAY+:WAY] <= grant_way[s*WAY+:WAY];
        packet_vc[s*B+:B] <= grant_vc[s*B+:B];
        left[s] <= grant_flits[s*24+:24];
      end else if (advances[s]) begin
        active[s] <= !ends[s];
        left[s] <= left[s] - 1;
      end
  end

  // ---- interconnect
  logic [P*TAG-1:0] in_tag, out_tag;
  always_comb begin
    in_tag = '0;
    out_tag = '0;
    for (int s = 0; s < P; s = s + 1)
      for (int i = 0; i < P; i = i + 1) begin
        if (advances[s] && packet_in[s*P+i])
          in_tag[i*TAG+:TAG] = {1'b1, packet_bf16[s], ID'(s), packet_way[s*WAY+:WAY]};
        if (advances[s] && packet_out[s*P+i])
          // Mutation 5: the last two middle switches are swapped at the outputs.
          out_tag[i*TAG+:TAG] = {
            1'b1, packet_bf16[s], ID'(s),
            `FRED_MUTATION(5) && packet_way[s*WAY+:WAY] != 0 ? packet_way[s*WAY+:WAY] ^ WAY'(3) : packet_way[s*WAY+:WAY]
          };
      end
  end
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
      .in_tag(in_tag),
      .out_tag(out_tag),
      .in_flit(net_in),
      .out_flit(net_out)
  );

  // ---- outputs
  logic [P-1:0] leaves;
  for (genvar o = 0; o < P; o = o + 1) begin : g_output
    logic starts;
    logic [B-1:0] start_vc;
    logic [CREDIT-1:0] start_flits;
    assign leaves[o] = out_tag[o*TAG+TAG-1];
    always_comb begin
      starts = 1'b0;
      start_vc = '0;
      start_flits = '0;
      for (int s = 0; s < P; s = s + 1)
        if (grant[s] && grant_out[s*P+o]) begin
          starts = 1'b1;
          start_vc = grant_vc[s*B+:B];
          start_flits = CREDIT'(grant_flits[s*24+:24]);
        end
    end
    output_credits #(
        .VC(VC),
        .DEPTH(OUT_DEPTH)
    ) room (
        .clk(clk),
        .rst_n(rst_n),
        .out_credit(out_credit[o]),
        .out_credit_vc(out_credit_vc[B*o+:B]),
        .take(starts),
        .take_vc(start_vc),
        .take_flits(start_flits),
        .credits(credits[o*VC*CREDIT+:VC*CREDIT])
    );
    assign {out_head[o], out_tail[o], out_vc[o*B+:B], out_header[o*64+:64], out_data[o*W+:W]} = net_out[o];
  end
  delay_line #(
      .WIDTH (P),
      .CYCLES(STAGES)
  ) valid (
      .clk(clk),
      .rst_n(rst_n),
      .in(leaves),
      .out(out_valid)
  );
endmodule
