// SPDX-License-Identifier: Apache-2.0
// Plays what `wafertlm rtl export` has written into a switch with the pins axi4_stream, and checks what comes out.
`include "stimulus.svh"
`timescale 1ps / 1ps
/* verilator lint_off BLKSEQ */
module bench;
  localparam int P = `REPLAY_P, W = `REPLAY_W, VC = 1;
  logic clk = 0, rst_n = 0;
  logic [P-1:0] s_tvalid = 0, s_tready, s_tlast = 0, m_tvalid, m_tready, m_tlast;
  logic [P*W-1:0] s_tdata = 0, m_tdata;
  logic [P*16-1:0] s_tid = 0, m_tid;
  logic [P*8-1:0] s_tdest = 0, m_tdest;
  logic [P*64-1:0] s_tuser = 0, m_tuser;
  `REPLAY_TOP #(`REPLAY_PARAMETERS) dut (
      .aclk(clk),
      .aresetn(rst_n),
      .s_tvalid(s_tvalid),
      .s_tready(s_tready),
      .s_tlast(s_tlast),
      .s_tdata(s_tdata),
      .s_tid(s_tid),
      .s_tdest(s_tdest),
      .s_tuser(s_tuser),
      .m_tvalid(m_tvalid),
      .m_tready(m_tready),
      .m_tlast(m_tlast),
      .m_tdata(m_tdata),
      .m_tid(m_tid),
      .m_tdest(m_tdest),
      .m_tuser(m_tuser)
  );
`include "replay.svh"

  int unsigned one[P];  // flits that an input takes
  logic [P-1:0] begun = 0;  // a packet has begun to leave
  logic [P-1:0][31:0] room = '1;  // rooms, for what follows
  int resets = 8;
  // The pins of the next cycle.
  logic [P-1:0] valid = 0, last, is_begun = 0;
  logic [P*W-1:0] data;
  logic [P*16-1:0] id;
  logic [P*8-1:0] dest;
  logic [P*64-1:0] user;
  logic [P-1:0][31:0] free;

  function automatic int unsigned flits_of(input logic [23:0] bytes);
    return bytes == 0 ? 1 : (32'(bytes) + W / 8 - 1) / (W / 8);
  endfunction
  // A packet's first flit leaves when there is room for all of it.
  always_comb
    for (int i = 0; i < P; i++)
      m_tready[i] = m_tvalid[i] && (begun[i] || room[i] == NONE || room[i] >= flits_of(m_tuser[i*64+40+:24]));

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
  // What passes in a cycle, when all of it has settled.
  logic [P-1:0] in_passes, out_passes, got_last;
  logic [P*64-1:0] got_user;
  logic [P*W-1:0] got_data;
  always @(posedge sample) begin
    in_passes <= s_tvalid & s_tready;
    out_passes <= m_tvalid & m_tready;
    got_last <= m_tlast;
    got_user <= m_tuser;
    got_data <= m_tdata;
  end
  always @(posedge drive) begin
    if (resets != 0) begin
      resets--;
      rst_n <= resets < 4;
      for (int i = 0; i < P; i++) one[i] = 1;
    end else if (!over) begin
      // What has happened in the cycle that ends.
      for (int i = 0; i < P; i++) begin
        check_known("input", i, in_passes[i]);
        check_known("output", i, out_passes[i] === 0 ? 1'b0 : ^{out_passes[i], got_last[i]});
        if (in_passes[i]) begin
          valid[i] = 0;
          one[i] = 1;
          count_flit(i);
        end
        if (out_passes[i]) begin
          bit first;
          first = !is_begun[i];
          if (first && rooms[i] != NONE) rooms[i] -= flits_of(got_user[i*64+40+:24]);
          is_begun[i] = !got_last[i];
          check_flit(i, 0, first, got_last[i], got_user[i*64+:64], got_data[i*W+:W]);
        end
      end
      begun <= is_begun;
      advance();
      // What it gets in the cycle that begins.
      for (; next_credit < `REPLAY_CREDITS && longint'(credit_list[next_credit].cycle) <= now; next_credit++)
        if (rooms[int'(credit_list[next_credit].port)] != NONE)
          rooms[int'(credit_list[next_credit].port)] += credit_list[next_credit].flits;
      for (int i = 0; i < P; i++) begin
        if (going[i] < 0) begin
          going[i] = next_packet(i, one, 1);
          given[i] = 0;
        end
        if (going[i] >= 0 && one[i] != 0 && flit_is_due(i)) begin
          packet_t of;
          of = packets[going[i]];
          one[i] = 0;
          valid[i] = 1;
          last[i] = given[i] + 1 == of.flits;
          data[i*W+:W] = flits[of.first+given[i]];
          id[i*16+:16] = of.header[15:0];
          dest[i*8+:8] = of.dest;
          user[i*64+:64] = of.header;
        end
      end
      for (int i = 0; i < P; i++) free[i] = rooms[i];
      room <= free;
      s_tvalid <= valid;
      s_tlast <= last;
      s_tdata <= data;
      s_tid <= id;
      s_tdest <= dest;
      s_tuser <= user;
    end
  end
endmodule
