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
  // The pins of the next cycle.
  logic [P-1:0] valid, head, tail, credit;
  logic [P*B-1:0] vc, credit_vc;
  logic [P*64-1:0] header;
  logic [P*W-1:0] data;

  // Inputs change behind the edge and outputs are looked at before the next: no simulator can see a race.
  logic drive = 0, sample = 0;
  always begin
    clk = 1;
    #1 drive = 1;
    #(`REPLAY_HALF_PERIOD - 1) clk = 0;
    drive = 0;
    #(`REPLAY_HALF_PERIOD - 1) sample = 1;
    #1 sample = 0;
  end
  // What the module shows in a cycle, when all of it has settled.
  logic [P-1:0] got_credit, got_valid, got_head, got_tail;
  logic [P*B-1:0] got_credit_vc, got_vc;
  logic [P*64-1:0] got_header;
  logic [P*W-1:0] got_data;
  always @(posedge sample) begin
    got_credit <= in_credit;
    got_credit_vc <= in_credit_vc;
    got_valid <= out_valid;
    got_head <= out_head;
    got_tail <= out_tail;
    got_vc <= out_vc;
    got_header <= out_header;
    got_data <= out_data;
  end
  always @(posedge drive) begin
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
        check_known("input", i, got_credit[i] === 0 ? 1'b0 : ^{got_credit[i], got_credit_vc[i*B+:B]});
        check_known("output", i, got_valid[i] === 0 ? 1'b0 : ^{got_valid[i], got_head[i], got_tail[i], got_vc[i*B+:B]});
        if (got_credit[i]) begin
          int q;
          q = i * VC + int'(got_credit_vc[i*B+:B]);
          credits[q] = credits[q] + 1;
          active = 1;
        end
        if (got_valid[i]) begin
          int c;
          c = int'(got_vc[i*B+:B]);
          theirs[i*VC+c] = theirs[i*VC+c] - 1;
          check_flit(i, c, got_head[i], got_tail[i], got_header[i*64+:64], got_data[i*W+:W]);
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
      credit = 0;
      for (int i = 0; i < P; i++) begin
        int turn_next;
        turn_next = int'(turn[i]);
        for (int k = 0; k < VC; k++) begin
          int c;
          c = int'((turn[i] + k) % VC);
          if (!credit[i] && theirs[i*VC+c] != OUT_DEPTH && rooms[i*VC+c] != 0) begin
            if (rooms[i*VC+c] != NONE) rooms[i*VC+c] = rooms[i*VC+c] - 1;
            theirs[i*VC+c] = theirs[i*VC+c] + 1;
            credit[i] = 1;
            credit_vc[i*B+:B] = B'(c);
            turn_next = c + 1;
            active = 1;
          end
        end
        turn[i] = turn_next;
      end
      out_credit <= credit;
      out_credit_vc <= credit_vc;
      valid = 0;
      for (int i = 0; i < P; i++) begin
        if (going[i] < 0) begin
          going[i] = next_packet(i, credits, DEPTH);
          given[i] = 0;
        end
        if (going[i] >= 0) begin
          packet_t of;
          of = packets[going[i]];
          if (flit_is_due(i) && credits[i*VC+int'(of.channel)] != 0) begin
            credits[i*VC+int'(of.channel)] = credits[i*VC+int'(of.channel)] - 1;
            valid[i] = 1;
            head[i] = given[i] == 0;
            tail[i] = given[i] + 1 == of.flits;
            vc[i*B+:B] = B'(of.channel);
            header[i*64+:64] = of.header;
            data[i*W+:W] = flits[of.first+given[i]];
            count_flit(i);
          end
        end
      end
      in_valid <= valid;
      in_head <= head;
      in_tail <= tail;
      in_vc <= vc;
      in_header <= header;
      in_data <= data;
    end
  end
endmodule
