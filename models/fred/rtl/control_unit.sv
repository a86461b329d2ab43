// SPDX-License-Identifier: Apache-2.0
// Grants packets. The oldest packets of all channels contend, the highest priority first, within one the inputs in turn, and
// of each its channels in turn. A packet of a flow contends at the lowest of the flow's inputs, when the packet with the same number is at the front
// of the same channel at every other one. It goes when the queues behind the interconnect have room for all of it and there
// is a plane of the interconnect at whose inputs and outputs nothing else goes, and whose middle switches on its way are
// free. A flow that finds none keeps its ports in its own plane from those that come after it. Unicasts find their way here
// (a switch with m >= 3 always has one), flows bring theirs.
module control_unit #(
    parameter int P = 8,
    parameter int M = 3,
    parameter int PLANES = 3,
    parameter int VC = 2,
    parameter int FLOWS = 32,
    parameter int LEVELS = 2,
    parameter int WAY = 4,
    parameter int FLIT_BYTES = 16,
    parameter int ROOM = 6,  // bits of a number of flits
    parameter int PRIORITIES = 4
) (
    input logic clk,
    input logic rst_n,
    // Fronts of the input channels.
    input logic [P*VC-1:0] waits,
    input logic [63:0] header[P*VC],
    // Stored configurations.
    input logic [FLOWS-1:0] is_open,
    input logic [FLOWS-1:0] bf16,
    input logic [FLOWS*8-1:0] priorities,
    input logic [FLOWS*P-1:0] inputs,
    input logic [FLOWS*P-1:0] outputs,
    input logic [FLOWS*WAY-1:0] ways,
    input logic [FLOWS-1:0] flow_may_go,  // its phase lets it
    // Ports of each plane that are in use in the next cycle, by packets [plane][lowest input], and channels.
    input logic [PLANES*P-1:0] busy_in,
    input logic [PLANES*P-1:0] busy_out,
    input logic [P*VC-1:0] busy_channels,
    input logic [PLANES*P-1:0] staying,
    input logic [PLANES*P*P-1:0] staying_in,
    input logic [PLANES*P*P-1:0] staying_out,
    input logic [PLANES*P*WAY-1:0] staying_way,
    input logic [P*VC*ROOM-1:0] room,  // behind the interconnect
    input logic [P-1:0] slot_free,  // for another packet of the lowest input
    // What was granted, by the lowest input.
    output logic [P-1:0] grant,
    output logic [P*fred_pkg::bits(PLANES)-1:0] grant_plane,
    output logic [P*P-1:0] grant_in,
    output logic [P*P-1:0] grant_out,
    output logic [P*WAY-1:0] grant_way,
    output logic [P-1:0] grant_bf16,
    output logic [P*fred_pkg::bits(VC)-1:0] grant_vc,
    output logic [P*24-1:0] grant_flits,
    output logic [P*8-1:0] grant_priority,
    output logic [FLOWS-1:0] grant_flow
);
  // verilator no_inline_module
  import fred_pkg::*;
  localparam int C = bits(M);
  localparam int B = bits(VC);
  localparam int K = bits(PLANES);
  localparam int FB = bits(FLOWS);
  localparam int N = P * VC;  // contenders: input · VC + channel
  localparam int NB = bits(N);
  localparam int S = bits(P);
  localparam int BLOCKS = M ** LEVELS;
  localparam int BASE = ports_at(P, LEVELS);
  localparam base_settings_t SETTINGS = BASE == 3 ? base_settings() : '0;

  logic [S-1:0] first;  // the input whose turn it is
  logic [P*B-1:0] channel;  // and of each input the channel

  // What each contender is.
  logic [N-1:0] ready;
  logic [N-1:0] unicast;
  logic [FB-1:0] flow[N];
  logic [P-1:0] its_in[N], its_out[N];
  logic [7:0] its_priority[N];
  logic [23:0] its_flits[N];

  always_comb begin
    ready = '0;
    unicast = '0;
    for (int i = 0; i < P; i = i + 1)
      for (int v = 0; v < VC; v = v + 1) begin
        logic [63:0] mine;
        mine = header[i*VC+v];
        unicast[i*VC+v] = mine[15];
        flow[i*VC+v] = mine[FB-1:0];
        its_flits[i*VC+v] = 24'((32'(mine[63:40]) + 32'(FLIT_BYTES - 1)) / 32'(FLIT_BYTES));
        if (!waits[i*VC+v]) begin
          its_in[i*VC+v] = '0;
          its_out[i*VC+v] = '0;
          its_priority[i*VC+v] = '0;
        end else if (mine[15]) begin
          its_in[i*VC+v] = P'(1) << i;
          its_out[i*VC+v] = P'(1) << mine[7:0];
          its_priority[i*VC+v] = {5'b0, mine[14:12]};
          ready[i*VC+v] = 1'b1;
        end else begin
          its_in[i*VC+v] = inputs[flow[i*VC+v]*P+:P];
          its_out[i*VC+v] = outputs[flow[i*VC+v]*P+:P];
          its_priority[i*VC+v] = priorities[flow[i*VC+v]*8+:8];
          ready[i*VC+v] = is_open[flow[i*VC+v]] && flow_may_go[flow[i*VC+v]];
          for (int j = 0; j < P; j = j + 1)
            if (its_in[i*VC+v][j]) begin
              if (j < i) ready[i*VC+v] = 1'b0;  // it contends there
              if (j > i && !(waits[j*VC+v] && header[j*VC+v][39:0] == mine[39:0]))
                ready[i*VC+v] = 1'b0;
            end
        end
      end
  end

  // The ports of a middle switch behind these of the switch around it: µswitch i has 2 i and 2 i + 1.
  function automatic logic [P-1:0] halves(input logic [P-1:0] wide);
    for (int i = 0; i < P; i = i + 1)
      halves[i] = 2 * i < P && (wide[2*i%P] || 2 * i + 1 < P && wide[(2*i+1)%P]);
  endfunction

  // In use inside: port i of switch b of level l + 1 (level 0 is the whole) of a plane is bit i of [(plane * LEVELS + l) *
  // BLOCKS + b].
  logic [P-1:0] used_in[PLANES*(LEVELS+1)*BLOCKS], used_out[PLANES*(LEVELS+1)*BLOCKS];
  logic [8:0] wanted[PLANES*BLOCKS];  // of base switches with 3 ports
  logic [S-1:0] next_first;
  logic [P*B-1:0] next_channel;
  logic turn_waits;  // for ports

  always_comb begin
    logic [PLANES*P-1:0] taken_in, taken_out;
    logic [P-1:0] in, out;
    logic [P*VC-1:0] pushed;  // a packet to the output and channel
    logic [WAY-1:0] way;
    logic [7:0] turn;
    logic can_go, may_go, found;
    logic [8:0] want;
    int block, s, v, plane, level;
    logic [NB-1:0] n;  // of the contenders
    for (int b = 0; b < PLANES * (LEVELS + 1) * BLOCKS; b = b + 1) begin
      used_in[b] = '0;
      used_out[b] = '0;
    end
    for (int b = 0; b < PLANES * BLOCKS; b = b + 1) wanted[b] = '0;
    grant = '0;
    grant_plane = '0;
    grant_in = '0;
    grant_out = '0;
    grant_way = '0;
    grant_bf16 = '0;
    grant_vc = '0;
    grant_flits = '0;
    grant_priority = '0;
    grant_flow = '0;
    next_channel = channel;
    turn_waits = 1'b0;
    taken_in = busy_in;
    taken_out = busy_out;
    pushed = '0;
    in = '0;
    out = '0;
    way = '0;
    turn = '0;
    can_go = 1'b0;
    may_go = 1'b0;
    found = 1'b0;
    want = '0;
    block = 0;
    n = '0;
    s = 0;
    v = 0;
    plane = 0;
    level = 0;

    if (ready != 0)
      for (int k = 0; k < PLANES; k = k + 1)
        for (int p = 0; p < P; p = p + 1)
          if (staying[k*P+p]) begin
            in = staying_in[(k*P+p)*P+:P];
            out = staying_out[(k*P+p)*P+:P];
            block = 0;
            for (int l = 0; l < LEVELS; l = l + 1) begin
              block = block * M + 32'(staying_way[(k*P+p)*WAY+l*C+:C]);
              in = halves(in);
              out = halves(out);
              level = (k * LEVELS + l) * BLOCKS;
              used_in[level+block] = used_in[level+block] | in;
              used_out[level+block] = used_out[level+block] | out;
            end
            if (BASE == 3)
              for (int i = 0; i < 3; i = i + 1) if (out[i%P]) wanted[k*BLOCKS+block][3*i+:3] = 3'(in);
          end

    if (ready != 0)
      for (int rank = PRIORITIES - 1; rank >= 0; rank = rank - 1) begin
        turn = 8'(rank);
        for (int k = 0; k < N; k = k + 1) begin
          s = 32'(first) + k / VC;
          if (s >= P) s = s - P;
          v = 32'(channel[s*B+:B]) + k % VC;
          if (v >= VC) v = v - VC;
          n = NB'(s * VC + v);
          if (ready[n] && its_priority[n] == turn) begin
            may_go = slot_free[s] && !grant[s];
            for (int p = 0; p < P; p = p + 1) begin
              if (its_out[n][p] && (pushed[p*VC+v] || 24'(room[(p*VC+v)*ROOM+:ROOM]) < its_flits[n])) may_go = 1'b0;
              if (its_in[n][p] && busy_channels[p*VC+v]) may_go = 1'b0;
            end

            // Flows of one priority are in a plane of their own as long as there are enough; unicasts begin with
            // the first.
            can_go = 1'b0;
            for (int a = 0; a < PLANES; a = a + 1)
              if (may_go && !can_go) begin
                plane = ((unicast[n] ? 0 : 32'(its_priority[n])) + a) % PLANES;
                in = its_in[n];
                out = its_out[n];
                can_go = (in & taken_in[plane*P+:P]) == 0 && (out & taken_out[plane*P+:P]) == 0;
                // The way: a flow's own, or for a unicast the last middle switch that is free at both ends: the router
                // gives flows the first ones.
                way = unicast[n] ? '0 : ways[flow[n]*WAY+:WAY];
                block = 0;
                for (int l = 0; l < LEVELS; l = l + 1) begin
                  in = halves(in);
                  out = halves(out);
                  found = 1'b0;
                  level = (plane * LEVELS + l) * BLOCKS + block * M;
                  for (int c = M - 1; c >= 0; c = c - 1)
                    if (!found && (unicast[n] || way[l*C+:C] == C'(c)) && (used_in[level+c] & in) == 0 &&
                        (used_out[level+c] & out) == 0) begin
                      found = 1'b1;
                      way[l*C+:C] = C'(c);
                    end
                  if (!found) can_go = 1'b0;
                  block = block * M + 32'(way[l*C+:C]);
                end
                want = '0;
                if (BASE == 3) begin
                  want = wanted[plane*BLOCKS+block];
                  for (int i = 0; i < 3; i = i + 1) if (out[i%P]) want[3*i+:3] = 3'(in);
                  if (!SETTINGS[32'(want)*SETTING+12]) can_go = 1'b0;
                end
              end

            in = its_in[n];
            out = its_out[n];
            if (can_go) begin
              grant[s] = 1'b1;
              grant_plane[s*K+:K] = K'(plane);
              grant_in[s*P+:P] = in;
              grant_out[s*P+:P] = out;
              grant_way[s*WAY+:WAY] = way;
              grant_bf16[s] = !unicast[n] && bf16[flow[n]];
              grant_vc[s*B+:B] = B'(v);
              next_channel[s*B+:B] = v == VC - 1 ? '0 : B'(v + 1);
              grant_flits[s*24+:24] = its_flits[n];
              grant_priority[s*8+:8] = turn;
              if (!unicast[n]) grant_flow[flow[n]] = 1'b1;
              for (int p = 0; p < P; p = p + 1) if (out[p]) pushed[p*VC+v] = 1'b1;
              taken_in[plane*P+:P] = taken_in[plane*P+:P] | in;
              taken_out[plane*P+:P] = taken_out[plane*P+:P] | out;
              block = 0;
              for (int l = 0; l < LEVELS; l = l + 1) begin
                block = block * M + 32'(way[l*C+:C]);
                in = halves(in);
                out = halves(out);
                level = (plane * LEVELS + l) * BLOCKS;
                used_in[level+block] = used_in[level+block] | in;
                used_out[level+block] = used_out[level+block] | out;
              end
              if (BASE == 3) wanted[plane*BLOCKS+block] = want;
            end else if (may_go) begin
              if (k == 0) turn_waits = 1'b1;
              if (!unicast[n]) begin
                plane = 32'(its_priority[n]) % PLANES;
                taken_in[plane*P+:P] = taken_in[plane*P+:P] | in;
                taken_out[plane*P+:P] = taken_out[plane*P+:P] | out;
              end
            end
          end
        end
      end

    // The turn passes on unless its packet waits for ports.
    next_first = turn_waits ? first : first == S'(P - 1) ? '0 : first + 1;
  end

  always_ff @(posedge clk) begin
    first <= rst_n ? next_first : '0;
    channel <= rst_n ? next_channel : '0;
  end

`ifndef SYNTHESIS
  for (genvar k = 0; k < PLANES; k = k + 1) begin : g_plane
    for (genvar i = 0; i < P; i = i + 1) begin : g_check
      logic [P-1:0] sources;
      always_comb for (int s = 0; s < P; s = s + 1) sources[s] = grant_out[s*P+i] && grant_plane[s*K+:K] == K'(k);
      one_flow_per_output : assert property (@(posedge clk) disable iff (!rst_n)
        $onehot0(sources) && !(|sources && busy_out[k*P+i]));
    end
  end
`endif
endmodule
