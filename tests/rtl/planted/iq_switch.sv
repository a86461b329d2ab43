// SPDX-License-Identifier: Apache-2.0
// A switch with a queue for each input and channel, in one iteration of iSLIP (McKeown, IEEE/ACM ToN 7(2), 1999): an output
// grants the next queue whose packet it has credits for, an input accepts the next output that grants; both in turns. A head
// that comes alone is at the output two cycles later. +bug=N plants a fault: planted_test.py says which.
module iq_switch #(
    parameter int P = 4,
    parameter int W = 64,
    parameter int VC = 2,
    parameter int DEPTH = 32,
    parameter int OUT_DEPTH = 32,
    parameter int B = VC > 1 ? $clog2(VC) : 1
) (
    input logic clk,
    input logic rst_n,
    input logic [P-1:0] in_valid,
    input logic [P-1:0] in_head,
    input logic [P-1:0] in_tail,
    input logic [P*B-1:0] in_vc,
    input logic [P*64-1:0] in_header,
    input logic [P*W-1:0] in_data,
    output logic [P-1:0] in_credit,
    output logic [P*B-1:0] in_credit_vc,
    output logic [P-1:0] out_valid,
    output logic [P-1:0] out_head,
    output logic [P-1:0] out_tail,
    output logic [P*B-1:0] out_vc,
    output logic [P*64-1:0] out_header,
    output logic [P*W-1:0] out_data,
    input logic [P-1:0] out_credit,
    input logic [P*B-1:0] out_credit_vc,
    input logic cfg_valid,
    input logic [15:0] cfg_flow,
    input logic [7:0] cfg_word,
    input logic [31:0] cfg_data
);
  localparam int Q = P * VC;  // queues: input · VC + channel
  localparam int F = W + 66;  // {head, tail, header, data}
  integer bug;
  initial if ($value$plusargs("bug=%d", bug) == 0) bug = 0;

  reg [F-1:0] flits[Q*DEPTH];
  integer first[Q], count[Q];
  integer credits[Q];  // output · VC + channel
  integer turn[P], accepts[P];  // of each output the next queue, of each input the next output
  reg [P-1:0] busy, in_busy;
  integer owner[P];  // queue of the packet that an output sends
  integer sent[P];  // flits of it
  reg [15:0] returned[P];  // flits of an input whose credits went back
  reg [P-1:0] kept, kept_vc;  // a credit that is late
  integer late[Q];
  reg [W-1:0] scratch[P];
  reg has_started;
  integer slow;
  initial has_started = 0;

  // What a cycle changes is worked out in variables of the process.
  integer i, o, q, k, grant[P], taken[P], flits_of, c;
  reg [F-1:0] flit, next;
  reg [63:0] header;
  reg [P-1:0] input_used;
  reg drops;
  always @(posedge clk) begin
    out_valid <= '0;
    in_credit <= '0;
    if (!rst_n) begin
      for (q = 0; q < Q; q = q + 1) begin
        first[q] = 0;
        count[q] = 0;
        late[q] = 0;
        if (bug != 12 || !has_started) credits[q] = OUT_DEPTH;  // 12: a reset leaves the credits as they are
      end
      for (o = 0; o < P; o = o + 1) begin
        turn[o] = 0;
        accepts[o] = 0;
        owner[o] = 0;
        sent[o] = 0;
        returned[o] = '0;
        if (bug != 13) scratch[o] = '0;  // 13: a register without a reset
      end
      busy = '0;
      in_busy = '0;
      kept = '0;
      kept_vc = '0;
      slow = 0;
    end else begin
      has_started = 1;
      slow = slow == 49 ? 0 : slow + 1;
      // Who is granted.
      for (o = 0; o < P; o = o + 1) begin
        grant[o] = -1;
        for (k = Q - 1; k >= 0; k = k - 1) begin
          q = (turn[o] + k) % Q;
          flit = flits[q*DEPTH+first[q]];
          header = flit[W+:64];
          flits_of = header[63:40] == 0 ? 1 : (32'(header[63:40]) + W / 8 - 1) / (W / 8);
          if (!busy[o] && count[q] != 0 && !in_busy[q/VC] && 32'(header[7:0]) % P == o &&
              flits_of <= credits[o*VC+q%VC])
            grant[o] = q;
        end
      end
      // Which grant an input accepts.
      for (i = 0; i < P; i = i + 1) begin
        taken[i] = -1;
        for (k = P - 1; k >= 0; k = k - 1) begin
          o = (accepts[i] + k) % P;
          if (grant[o] >= 0 && grant[o] / VC == i) taken[i] = o;
        end
        if (taken[i] >= 0 && (bug != 19 || slow == 0)) begin  // 19: fifty times slower
          o = taken[i];
          accepts[i] = (o + 1) % P;
          owner[o] = grant[o];
          if (bug != 1) turn[o] = (grant[o] + 1) % Q;  // 1: nobody else's turn comes
          busy[o] = 1;
          in_busy[i] = 1;
          sent[o] = 0;
        end
      end
      for (o = 0; o < P; o = o + 1) begin
        q = owner[o];
        c = q % VC;
        i = q / VC;
        if (out_credit[o] && !(bug == 6 && busy[o] && sent[o] == 0 && 32'(out_credit_vc[o*B+:B]) == c))  // 6: both at once
          credits[o*VC+32'(out_credit_vc[o*B+:B])] = credits[o*VC+32'(out_credit_vc[o*B+:B])] + 1;
        if (busy[o] && count[q] != 0 && !(bug == 8 && sent[o] == 2 && slow % 2 == 0)) begin  // 8: a bubble
          flit = flits[q*DEPTH+first[q]];
          header = flit[W+:64];
          flits_of = header[63:40] == 0 ? 1 : (32'(header[63:40]) + W / 8 - 1) / (W / 8);
          if (sent[o] == 0) credits[o*VC+c] = credits[o*VC+c] - flits_of;
          out_valid[o] <= 1;
          out_head[o] <= flit[W+65];
          out_tail[o] <= flit[W+64] && !(bug == 11 && flits_of == 5);  // 11: no tail
          out_vc[o*B+:B] <= B'(bug == 2 && header[19:16] == 3 ? (c + 1) % VC : c);  // 2: another channel
          if (bug == 4 && flits_of > 8) header[63:40] = header[63:40] - 1;  // 4: another length
          if (bug == 14) header[39:32] = 0;  // 14: sixteen bits of the number
          out_header[o*64+:64] <= header;
          out_data[o*W+:W] <= flit[0+:W] ^ scratch[o];
          if (bug == 15 && flit[7:0] == 8'h5a) out_data[o*W+:W] <= {flit[0+:W/2], flit[W/2+:W/2]};  // 15: lanes
          if (bug == 17 && header[14:12] == 5 && sent[o] == 0) out_header[o*64+:8] <= 8'((o + 1) % P);  // 17: an output
          scratch[o] = '0;
          sent[o] = sent[o] + 1;
          if (!(bug == 10 && flit[W+65-:2] == 2'b11 && out_credit[o] && sent[o] == 1 && header[18:16] == 1)) begin  // 10: twice
            first[q] = (first[q] + 1) % DEPTH;
            count[q] = count[q] - 1;
            returned[i] = returned[i] + 1;
            // 5: of 65536 one is lost; 7: to the other channel; 16: one stays until the next goes.
            if (bug == 16) begin
              in_credit[i] <= kept[i];
              in_credit_vc[i*B+:B] <= B'(kept_vc[i]);
              kept[i] = 1;
              kept_vc[i] = 1'(c);
            end else if (bug == 18) begin
              late[q] = late[q] + 1;
            end else if (bug != 5 || returned[i] != 0) begin
              in_credit[i] <= 1;
              in_credit_vc[i*B+:B] <= B'(bug == 7 && header[19:16] == 3 ? (c + 1) % VC : c);
            end
          end
          if (flit[W+64]) begin
            busy[o] = 0;
            in_busy[i] = 0;
          end
        end
      end
      for (q = 0; q < Q; q = q + 1)
        if (late[q] != 0 && slow >= 40 && slow % VC == q % VC) begin  // 18: credits come in the last fifth of the time
          in_credit[q/VC] <= 1;
          in_credit_vc[q/VC*B+:B] <= B'(q % VC);
          late[q] = late[q] - 1;
        end
      // What comes.
      for (i = 0; i < P; i = i + 1) begin
        if (in_valid[i]) begin
          q = i * VC + 32'(in_vc[i*B+:B]);
          next = {in_head[i], in_tail[i], in_header[i*64+:64], in_data[i*W+:W]};
          flit = flits[q*DEPTH+(first[q]+count[q]+DEPTH-1)%DEPTH];
          drops = bug == 9 && count[q] == DEPTH - 2 && !in_head[i] && !in_tail[i];  // 9: a flit is lost when it is nearly full
          if (bug == 3 && count[q] > 2 && next[W+65-:2] == 2'b11 && flit[W+65-:2] == 2'b11 && next[W+:8] == flit[W+:8]) begin
            flits[q*DEPTH+(first[q]+count[q]+DEPTH-1)%DEPTH] = next;  // 3: it overtakes the one before it
            next = flit;
          end
          if (!drops) begin
            flits[q*DEPTH+(first[q]+count[q])%DEPTH] = next;
            count[q] = count[q] + 1;
          end
        end
      end
    end
  end
endmodule
