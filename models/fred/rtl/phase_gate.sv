// SPDX-License-Identifier: Apache-2.0
// The phase rule. Flows of one priority are a phase, and a phase is a setting of the switch. A packet of a flow is let in
// when it is at all of the flow's inputs: at once if the switch is set for its phase, else with a change that begins
// when the one before it is done and takes `phase_change` cycles. With the rule, to a higher phase only when each of its
// flows has a packet at every input but the one from above, or none to come. Without rule and cost everything is let in.
module phase_gate #(
    parameter int P = 8,
    parameter int FLOWS = 32,
    parameter int N = 6,  // bits of a number of packets that wait at an input
    parameter int GROUPS = 4  // of packets of a flow that were let in at different times; more wait for the last
) (
    input logic clk,
    input logic rst_n,
    input logic phase_rule,
    input logic [15:0] phase_change,
    // A header of a flow is at the input since this cycle.
    input logic [P-1:0] arrives,
    input logic [P*fred_pkg::bits(FLOWS)-1:0] arrives_flow,
    input logic [FLOWS-1:0] is_open,
    input logic [FLOWS*8-1:0] priorities,
    input logic [FLOWS*P-1:0] inputs,
    input logic [FLOWS*P-1:0] from_above,
    input logic [FLOWS*32-1:0] left,  // packets that have not been granted
    input logic [FLOWS-1:0] granted,
    output logic [FLOWS-1:0] may_go
);
  // verilator no_inline_module
`include "mutations.svh"
  localparam int FB = fred_pkg::bits(FLOWS);

  logic [FLOWS*P*N-1:0] fresh, next_fresh;  // packets at inputs that have not been let in
  logic [FLOWS*N-1:0] let_in, next_let_in;  // packets, not granted
  logic [FLOWS*GROUPS*N-1:0] group, next_group;  // of these, the oldest first
  logic [FLOWS*GROUPS*16-1:0] group_wait, next_wait;  // cycles until they may go
  logic [7:0] phase, next_phase;
  logic phase_set, next_phase_set;
  logic [15:0] set_in, next_set_in;  // cycles until the switch is set for the phase
  logic phases;  // they matter
  assign phases = phase_rule || phase_change != 0;

  always_comb begin
    logic blocked, found;
    logic [N-1:0] packets;
    logic [7:0] rank;
    int flow;
    next_fresh = fresh;
    next_let_in = let_in;
    next_group = group;
    next_wait = group_wait;
    next_phase = phase;
    next_phase_set = phase_set;
    next_set_in = set_in;
    blocked = 1'b0;
    found = 1'b0;
    packets = '0;
    rank = '0;
    flow = 0;
    if (phases)
      for (int i = 0; i < P; i = i + 1)
        if (arrives[i]) begin
          flow = 32'(arrives_flow[i*FB+:FB]);
          rank = priorities[flow*8+:8];
          next_fresh[(flow*P+i)*N+:N] = next_fresh[(flow*P+i)*N+:N] + 1;
          // It may be what the others of its phase wait for.
          for (int f = 0; f < FLOWS; f = f + 1)
            if (f == flow || (phase_rule && is_open[f] && priorities[f*8+:8] == rank)) begin
              packets = '1;
              for (int j = 0; j < P; j = j + 1)
                if (inputs[f*P+j] && next_fresh[(f*P+j)*N+:N] < packets) packets = next_fresh[(f*P+j)*N+:N];
              blocked = packets == 0;
              // Mutation 6: it stays in its first phase.
              if (`FRED_MUTATION(6) && next_phase_set && rank != next_phase) blocked = 1'b1;
              if (!blocked && phase_rule && next_phase_set && rank > next_phase && inputs[f*P+:P] != from_above[f*P+:P])
                for (int g = 0; g < FLOWS; g = g + 1)
                  if (is_open[g] && priorities[g*8+:8] == rank && left[g*32+:32] != 32'(next_let_in[g*N+:N]))
                    for (int j = 0; j < P; j = j + 1)
                      if (inputs[g*P+j] && !from_above[g*P+j] && next_fresh[(g*P+j)*N+:N] == 0) blocked = 1'b1;
              if (!blocked) begin
                if (next_phase_set && rank != next_phase) next_set_in = next_set_in + phase_change;
                next_phase_set = 1'b1;
                next_phase = rank;
                for (int j = 0; j < P; j = j + 1)
                  if (inputs[f*P+j]) next_fresh[(f*P+j)*N+:N] = next_fresh[(f*P+j)*N+:N] - packets;
                next_let_in[f*N+:N] = next_let_in[f*N+:N] + packets;
                found = 1'b0;
                for (int k = 0; k < GROUPS; k = k + 1)
                  if (!found && (next_group[(f*GROUPS+k)*N+:N] == 0 || k == GROUPS - 1 ||
                                 next_wait[(f*GROUPS+k)*16+:16] == next_set_in)) begin
                    found = 1'b1;
                    next_group[(f*GROUPS+k)*N+:N] = next_group[(f*GROUPS+k)*N+:N] + packets;
                    next_wait[(f*GROUPS+k)*16+:16] = next_set_in;
                  end
              end
            end
        end
    for (int f = 0; f < FLOWS; f = f + 1)
      may_go[f] = !phases || (next_group[f*GROUPS*N+:N] != 0 && next_wait[f*GROUPS*16+:16] == 0);
  end

  always_ff @(posedge clk)
    if (!rst_n) begin
      phase <= '0;
      phase_set <= 1'b0;
      set_in <= '0;
    end else begin
      phase <= next_phase;
      phase_set <= next_phase_set;
      set_in <= next_set_in == 0 ? '0 : next_set_in - 1;
    end

  for (genvar f = 0; f < FLOWS; f = f + 1) begin : g_flow
    logic ends;  // the oldest group
    assign ends = granted[f] && next_group[f*GROUPS*N+:N] == 1;
    always_ff @(posedge clk)
      if (!rst_n) begin
        fresh[f*P*N+:P*N] <= '0;
        let_in[f*N+:N] <= '0;
      end else if (phases) begin
        fresh[f*P*N+:P*N] <= next_fresh[f*P*N+:P*N];
        let_in[f*N+:N] <= next_let_in[f*N+:N] - N'(granted[f]);
      end
    for (genvar k = 0; k < GROUPS; k = k + 1) begin : g_group
      localparam int HERE = f * GROUPS + k;
      localparam int NEXT = k == GROUPS - 1 ? HERE : HERE + 1;
      logic [15:0] waits;
      logic [N-1:0] packets;
      assign waits = next_wait[(ends ? NEXT : HERE)*16+:16];
      assign packets = ends && NEXT == HERE ? '0 : next_group[(ends ? NEXT : HERE)*N+:N];
      always_ff @(posedge clk)
        if (!rst_n) begin
          group[HERE*N+:N] <= '0;
          group_wait[HERE*16+:16] <= '0;
        end else if (phases) begin
          group[HERE*N+:N] <= packets - N'(k == 0 && granted[f] && !ends);
          group_wait[HERE*16+:16] <= waits == 0 ? '0 : waits - 1;
        end
    end
  end
endmodule
