// SPDX-License-Identifier: Apache-2.0
// Plays what `wafertlm rtl export` has written into a switch with the pins credit_stream, and checks what comes out.
`include "stimulus.svh"
`timescale 1ps / 1ps
/* verilator lint_off BLKSEQ */
module bench;
  localparam int P = `REPLAY_P, W = `REPLAY_W, VC = `REPLAY_VC, DEPTH = `REPLAY_DEPTH, OUT_DEPTH = `REPLAY_OUT_DEPTH;
  localparam int B = VC > 1 ? $clog2(VC) : 1;
  logic clk = 0, rst_n = 0;
  logic [P-1:0] in_valid = 0, in_head = 0, in_tail = 0, in_credit, out_valid, out_head, out_tail, out_credit = 0;
  logic [P*B-1:0] in_vc = 0, in_credit_vc, out_vc, out_credit_vc = 0;
  logic [P*64-1:0] in_header = 0, out_header;
  logic [P*W-1:0] in_data = 0, out_data;
  logic cfg_valid = 0;
  logic [15:0] cfg_flow = 0;
  logic [7:0] cfg_word = 0;
  logic [31:0] cfg_data = 0;
  `REPLAY_TOP #(`REPLAY_PARAMETERS) dut (
      .clk(clk),
      .rst_n(rst_n),
      .in_valid(in_valid),
      .in_head(in_head),
      .in_tail(in_tail),
      .in_vc(in_vc),
      .in_header(in_header),
      .in_data(in_data),
      .in_credit(in_credit),
      .in_credit_vc(in_credit_vc),
      .out_valid(out_valid),
      .out_head(out_head),
      .out_tail(out_tail),
      .out_vc(out_vc),
      .out_header(out_header),
      .out_data(out_data),
      .out_credit(out_credit),
      .out_credit_vc(out_credit_vc),
      .cfg_valid(cfg_valid),
      .cfg_flow(cfg_flow),
      .cfg_word(cfg_word),
      .cfg_data(cfg_data)
  );
`include "replay.svh"

  int unsigned credits[P*VC], theirs[P*VC];  // of the inputs; of the module at its outputs
  int unsigned turn[P];  // whose credit is next
  int resets = 8;

  always #(`REPLAY_HALF_PERIOD) clk = ~clk;
  always @(posedge clk) begin
    if (resets != 0) begin
      resets--;
      rst_n <= resets < 4;
      for (int i = 0; i < P * VC; i++) begin
        credits[i] = DEPTH;
        theirs[i] = OUT_DEPTH;
      end
    end else if (!over) begin
      // What the module has shown in the cycle that ends.
      for (int i = 0; i < P; i++) begin
        if (in_credit[i]) begin
          active = 1;
          credits[i*VC+int'(in_credit_vc[i*B+:B])]++;
        end
        if (out_valid[i]) begin
          int c;
          c = int'(out_vc[i*B+:B]);
          theirs[i*VC+c]--;
          check_flit(i, c, out_head[i], out_tail[i], out_header[i*64+:64], out_data[i*W+:W]);
        end
      end
      advance();
      // What it gets in the cycle that begins.
      cfg_valid <= 0;
      if (word_is_due()) begin
        cfg_valid <= 1;
        cfg_flow <= words[next_word].entry;
        cfg_word <= words[next_word].word;
        cfg_data <= words[next_word].value;
        next_word++;
        active = 1;
      end
      for (; next_credit < `REPLAY_CREDITS && longint'(credit_list[next_credit].cycle) <= now; next_credit++) begin
        int q;
        q = int'(credit_list[next_credit].port) * VC + int'(credit_list[next_credit].channel);
        if (rooms[q] != NONE) rooms[q] += credit_list[next_credit].flits;
      end
      for (int i = 0; i < P; i++) begin
        out_credit[i] <= 0;
        for (int k = 0; k < VC; k++) begin
          int c;
          c = int'((turn[i] + k) % VC);
          if (theirs[i*VC+c] == OUT_DEPTH || rooms[i*VC+c] == 0) continue;
          if (rooms[i*VC+c] != NONE) rooms[i*VC+c]--;
          theirs[i*VC+c]++;
          out_credit[i] <= 1;
          out_credit_vc[i*B+:B] <= B'(c);
          turn[i] = c + 1;
          active = 1;
          break;
        end
      end
      for (int i = 0; i < P; i++) begin
        in_valid[i] <= 0;
        if (going[i] < 0) begin
          going[i] = next_packet(i, credits, DEPTH);
          given[i] = 0;
        end
        if (going[i] >= 0) begin
          packet_t of;
          of = packets[going[i]];
          if (flit_is_due(i) && credits[i*VC+int'(of.channel)] != 0) begin
            credits[i*VC+int'(of.channel)]--;
            in_valid[i] <= 1;
            in_head[i] <= given[i] == 0;
            in_tail[i] <= given[i] + 1 == of.flits;
            in_vc[i*B+:B] <= B'(of.channel);
            in_header[i*64+:64] <= of.header;
            in_data[i*W+:W] <= flits[of.first+given[i]];
            count_flit(i);
          end
        end
      end
    end
  end
endmodule
