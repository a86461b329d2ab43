// SPDX-License-Identifier: Apache-2.0
// ../crossbar/crossbar.sv with faults: +bug=N, planted_test.py says which.
module axi_switch #(
    parameter int P = 5,
    parameter int W = 512
) (
    input  logic              aclk,
    input  logic              aresetn,
    input  logic [P-1:0]      s_tvalid,
    output logic [P-1:0]      s_tready,
    input  logic [P*W-1:0]    s_tdata,
    input  logic [P-1:0]      s_tlast,
    input  logic [P*16-1:0]   s_tid,
    input  logic [P*8-1:0]    s_tdest,
    input  logic [P*64-1:0]   s_tuser,
    output logic [P-1:0]      m_tvalid,
    input  logic [P-1:0]      m_tready,
    output logic [P*W-1:0]    m_tdata,
    output logic [P-1:0]      m_tlast,
    output logic [P*16-1:0]   m_tid,
    output logic [P*8-1:0]    m_tdest,
    output logic [P*64-1:0]   m_tuser
);
  localparam int IW = $clog2(P);
  int bug;
  initial if ($value$plusargs("bug=%d", bug) == 0) bug = 0;
  logic odd;
  always_ff @(posedge aclk) odd <= aresetn && !odd;
  logic [P-1:0][P-1:0] takes;  // [output][input]

  // Of the inputs that ask, the nearest one behind `last`.
  function automatic logic [IW-1:0] next_of(input logic [P-1:0] asking, input logic [IW-1:0] last);
    next_of = last;
    for (int k = P; k >= 1; k--)
      if (asking[(int'(last)+k)%P]) next_of = IW'((int'(last) + k) % P);
  endfunction

  for (genvar o = 0; o < P; o++) begin : g_output
    logic          busy;           // within a packet
    logic [IW-1:0] owner, winner;  // the input that the packet comes from; who is next
    logic [P-1:0]  asking;
    logic          found;
    logic          advance;        // the register is free, or will be

    for (genvar i = 0; i < P; i++) begin : g_input
      assign asking[i]   = s_tvalid[i] && s_tdest[i*8+:8] == 8'(o) && (!busy || owner == IW'(i));
      assign takes[o][i] = found && advance && winner == IW'(i);
    end
    logic [15:0] passed;  // flits
    assign advance = bug == 2 && m_tvalid[o] && m_tdata[o*W+:4] == 4'h5 ||  // 2: the register is written before it is free
        (!m_tvalid[o] || m_tready[o]);
    assign found   = asking != '0 && !(bug == 3 && busy && odd);  // 3: bubbles
    assign winner  = next_of(asking, owner);

    always_ff @(posedge aclk) begin
      if (!aresetn) begin
        passed      <= '0;
        busy        <= 1'b0;
        owner       <= '0;
        m_tvalid[o] <= 1'b0;
      end else if (bug == 4 && !m_tready[o] && m_tvalid[o] && m_tlast[o] && s_tvalid[0]) begin
        m_tvalid[o] <= 1'b0;  // 4: valid falls
      end else if (advance) begin
        m_tvalid[o] <= found;
        if (found) begin
          passed               <= passed + 1;
          owner                <= bug == 1 && s_tlast[winner] ? '0 : winner;  // 1: nobody else's turn comes
          busy                 <= !s_tlast[winner];
          m_tdata[o*W+:W]      <= s_tdata[winner*W+:W];
          m_tlast[o]           <= s_tlast[winner] || bug == 5 && passed == 16'hffff;  // 5: the end of a packet after 2^16 flits
          m_tid[o*16+:16]      <= s_tid[winner*16+:16] ^ 16'(bug == 6 && busy);  // 6: another stream within the packet
          m_tdest[o*8+:8]      <= s_tdest[winner*8+:8];
          m_tuser[o*64+:64]    <= s_tuser[winner*64+:64] ^ (64'(bug == 7 && s_tuser[winner*64+42]) << 40);  // 7: the length
        end
      end
    end
  end

  always_comb begin
    s_tready = '0;
    for (int o = 0; o < P; o++) s_tready |= takes[o];
  end
endmodule
