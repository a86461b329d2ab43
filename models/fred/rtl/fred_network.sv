// SPDX-License-Identifier: Apache-2.0
// FRED_m(P), the netlist of FredNetwork (../routing/network.cpp): ⌊P/2⌋ R-µswitches, m × FRED_m(⌈P/2⌉), ⌊P/2⌋
// D-µswitches; the last port of an odd switch has a demux and a mux. Which flow is at which port comes with the flits, and
// so does its way: the middle switch at each level, the outermost in the lowest bits. One stage per µswitch.
module fred_network #(
    parameter int P = 8,
    parameter int M = 3,
    parameter int W = 128,
    parameter int SIDE = 70,
    parameter int ID = 3,
    parameter int TAG = 9,
    parameter int DATA_TYPE = 2
) (
    input logic clk,
    input logic rst_n,
    input logic [P*TAG-1:0] in_tag,  // {active, BF16, which flow, way}
    input logic [P*TAG-1:0] out_tag,  // of the flow for each output, in the same cycle
    input logic [SIDE+W-1:0] in_flit[P],
    output logic [SIDE+W-1:0] out_flit[P]  // stages(P) cycles later
);
`include "mutations.svh"

  if (P <= 3) begin : g_base
    fred_base #(
        .P(P),
        .W(W),
        .SIDE(SIDE),
        .ID(ID),
        .TAG(TAG),
        .DATA_TYPE(DATA_TYPE)
    ) base (
        .clk(clk),
        .rst_n(rst_n),
        .in_tag(in_tag),
        .out_tag(out_tag),
        .in_flit(in_flit),
        .out_flit(out_flit)
    );
  end else begin : g_clos
    localparam int F = SIDE + W;
    localparam int C = fred_pkg::bits(M);
    localparam int PAIRS = P / 2;
    localparam int Q = (P + 1) / 2;  // ports of a middle switch
    localparam int INNER = fred_pkg::stages(Q);

    logic [Q*TAG-1:0] mid_in_tag[M], mid_out_tag[M];
    logic [F-1:0] mid_in[M][Q], mid_out[M][Q];
    logic [P*TAG-1:0] late_tag;  // of the outputs, when their flits reach the D-µswitches

    // The tag at port i of middle switch c: that of the first of two ports whose flow goes there, its way without this
    // level.
    function automatic logic [TAG-1:0] tag_of(input logic [TAG-1:0] a, input logic [TAG-1:0] b,
                                              input logic [C-1:0] c);
      logic [TAG-1:0] chosen;
      chosen = a[TAG-1] && a[C-1:0] == c ? a : b[TAG-1] && b[C-1:0] == c ? b : '0;
      tag_of = {chosen[TAG-1:TAG-2-ID], (TAG - 2 - ID)'(chosen[TAG-3-ID:0] >> C)};
    endfunction

    for (genvar c = 0; c < M; c = c + 1) begin : g_tags
      for (genvar i = 0; i < Q; i = i + 1) begin : g_port
        logic [TAG-1:0] in_1, out_1;
        assign in_1 = i < PAIRS ? in_tag[(2*i+1)%P*TAG+:TAG] : '0;
        assign out_1 = i < PAIRS ? out_tag[(2*i+1)%P*TAG+:TAG] : '0;
        always_ff @(posedge clk)
          if (!rst_n) begin
            mid_in_tag[c][i*TAG+:TAG] <= '0;
            mid_out_tag[c][i*TAG+:TAG] <= '0;
          end else begin
            mid_in_tag[c][i*TAG+:TAG] <= tag_of(in_tag[2*i*TAG+:TAG], in_1, C'(c));
            mid_out_tag[c][i*TAG+:TAG] <= tag_of(out_tag[2*i*TAG+:TAG], out_1, C'(c));
          end
      end
    end
    delay_line #(
        .WIDTH (P * TAG),
        .CYCLES(INNER + 1)
    ) late (
        .clk(clk),
        .rst_n(rst_n),
        .in(out_tag),
        .out(late_tag)
    );

    for (genvar i = 0; i < PAIRS; i = i + 1) begin : g_in
      logic [M*2-1:0] takes;
      logic [F-1:0] sent[M];
      always_comb
        for (int c = 0; c < M; c = c + 1)
          for (int j = 0; j < 2; j = j + 1)
            takes[2*c+j] = in_tag[(2*i+j)*TAG+TAG-1] && in_tag[(2*i+j)*TAG+:C] == C'(c);
      r_microswitch #(
          .M(M),
          .W(W),
          .SIDE(SIDE),
          .DATA_TYPE(DATA_TYPE)
      ) r (
          .clk(clk),
          .rst_n(rst_n),
          .takes(takes),
          .bf16(in_tag[2*i*TAG+TAG-2]),
          .in_0(in_flit[2*i]),
          .in_1(in_flit[2*i+1]),
          .out_flit(sent)
      );
      for (genvar c = 0; c < M; c = c + 1) begin : g_to
        assign mid_in[c][i] = sent[c];
      end
`ifndef SYNTHESIS
      for (genvar c = 0; c < M; c = c + 1) begin : g_check
        one_flow : assert property (@(posedge clk) disable iff (!rst_n) takes[2*c+:2] == 3 |->
          in_tag[2*i*TAG+TAG-3-:ID] == in_tag[(2*i+1)*TAG+TAG-3-:ID]);
      end
`endif
    end

    for (genvar c = 0; c < M; c = c + 1) begin : g_middle
      fred_network #(
          .P(Q),
          .M(M),
          .W(W),
          .SIDE(SIDE),
          .ID(ID),
          .TAG(TAG),
          .DATA_TYPE(DATA_TYPE)
      ) mid (
          .clk(clk),
          .rst_n(rst_n),
          .in_tag(mid_in_tag[c]),
          .out_tag(mid_out_tag[c]),
          .in_flit(mid_in[c]),
          .out_flit(mid_out[c])
      );
    end

    for (genvar o = 0; o < Q; o = o + 1) begin : g_out
      localparam int N = o < PAIRS ? 2 : 1;
      logic [N*M-1:0] takes;
      logic [F-1:0] received[M];
      always_comb
        for (int j = 0; j < N; j = j + 1)
          for (int c = 0; c < M; c = c + 1)
            takes[j*M+c] = late_tag[(2*o+j)*TAG+TAG-1] && late_tag[(2*o+j)*TAG+:C] == C'(c);
      for (genvar c = 0; c < M; c = c + 1) begin : g_from
        assign received[c] = mid_out[c][o];
      end
      if (N == 2) begin : g_pair
        d_microswitch #(
            .M(M),
            .F(F)
        ) d (
            .clk(clk),
            .rst_n(rst_n),
            .takes(takes),
            .in_flit(received),
            .out_0(out_flit[2*o]),
            .out_1(out_flit[2*o+1])
        );
      end else begin : g_last
        mux #(
            .M(M),
            .F(F)
        ) last (
            .clk(clk),
            .rst_n(rst_n),
            .takes(takes),
            .in_flit(received),
            .out_flit(out_flit[2*o])
        );
      end
    end

    if (Q != PAIRS) begin : g_demux
      logic [F-1:0] to_middle[M];
      demux #(
          .M(M),
          .F(F)
      ) last (
          .clk(clk),
          .rst_n(rst_n),
          .takes(in_tag[(P-1)*TAG+TAG-1] ? M'(1) << in_tag[(P-1)*TAG+:C] : '0),
          .in_flit(in_flit[P-1]),
          .out_flit(to_middle)
      );
      for (genvar c = 0; c < M; c = c + 1) begin : g_to
        assign mid_in[c][Q-1] = to_middle[c];
      end
    end
  end
endmodule
