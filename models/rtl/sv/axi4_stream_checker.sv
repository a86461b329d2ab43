// SPDX-License-Identifier: Apache-2.0
// The rules of axi4_stream (models/rtl/README.md) as assertions, for any simulator. Both sides are held to them: what comes to
// the inputs as well. axi4_stream_bind.sv puts a checker into a module.
module axi4_stream_checker #(
    parameter int P = 2,  // ports
    parameter int W = 32  // bits of a flit
) (
    input logic aclk,
    input logic aresetn,
    input logic [P-1:0] s_tvalid,
    input logic [P-1:0] s_tready,
    input logic [P*W-1:0] s_tdata,
    input logic [P-1:0] s_tlast,
    input logic [P*16-1:0] s_tid,
    input logic [P*8-1:0] s_tdest,
    input logic [P*64-1:0] s_tuser,
    input logic [P-1:0] m_tvalid,
    input logic [P-1:0] m_tready,
    input logic [P*W-1:0] m_tdata,
    input logic [P-1:0] m_tlast,
    input logic [P*16-1:0] m_tid,
    input logic [P*8-1:0] m_tdest,
    input logic [P*64-1:0] m_tuser
);
  for (genvar i = 0; i < P; i++) begin : g_port
    axi4_stream_port_checker #(
        .SIDE("input"),
        .PORT(i),
        .W(W)
    ) of_input (
        .aclk(aclk),
        .aresetn(aresetn),
        .tvalid(s_tvalid[i]),
        .tready(s_tready[i]),
        .tdata(s_tdata[i*W+:W]),
        .tlast(s_tlast[i]),
        .tid(s_tid[i*16+:16]),
        .tdest(s_tdest[i*8+:8]),
        .tuser(s_tuser[i*64+:64])
    );
    axi4_stream_port_checker #(
        .SIDE("output"),
        .PORT(i),
        .W(W)
    ) of_output (
        .aclk(aclk),
        .aresetn(aresetn),
        .tvalid(m_tvalid[i]),
        .tready(m_tready[i]),
        .tdata(m_tdata[i*W+:W]),
        .tlast(m_tlast[i]),
        .tid(m_tid[i*16+:16]),
        .tdest(m_tdest[i*8+:8]),
        .tuser(m_tuser[i*64+:64])
    );
    right_output :
    assert property (@(posedge aclk) disable iff (!aresetn) m_tvalid[i] |-> m_tdest[i*8+:8] == 8'(i))
    else $error("output %0d: a packet leaves where its flow goes, not one to %0d", i, m_tdest[i*8+:8]);
    destination_exists :
    assert property (@(posedge aclk) disable iff (!aresetn) s_tvalid[i] |-> 32'(s_tdest[i*8+:8]) < P)
    else $error("input %0d: there is no output %0d", i, s_tdest[i*8+:8]);
  end
endmodule

// One direction of a port.
module axi4_stream_port_checker #(
    parameter SIDE = "input",
    parameter int PORT = 0,
    parameter int W = 32
) (
    input logic aclk,
    input logic aresetn,
    input logic tvalid,
    input logic tready,
    input logic [W-1:0] tdata,
    input logic tlast,
    input logic [15:0] tid,
    input logic [7:0] tdest,
    input logic [63:0] tuser
);
  int unsigned left;  // flits of the packet that has begun
  int unsigned to_come;  // this one included
  logic [23:0] stream;  // of the packet that has begun

  function automatic int unsigned flits(input logic [23:0] of);
    flits = of == 0 ? 1 : (32'(of) + W / 8 - 1) / (W / 8);
  endfunction
  always_comb to_come = left == 0 ? flits(tuser[63:40]) : left;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      left <= 0;
    end else if (tvalid && tready) begin
      left <= tlast ? 0 : to_come - 1;
      stream <= {tid, tdest};
    end
  end

  int unsigned held;  // cycles of reset
  always_ff @(posedge aclk) held <= aresetn ? 0 : held + 1;
  quiet_in_reset :
  assert property (@(posedge aclk) !aresetn && held >= 4 |-> !tvalid)
  else $error("%s %0d: nothing is valid while the reset is held", SIDE, PORT);
  known :
  assert property (@(posedge aclk) disable iff (!aresetn) !$isunknown(tvalid) && (!tvalid || !$isunknown({
    tready, tlast, tid, tdest}) && (left != 0 || !$isunknown(tuser)) && (to_come == 1 || !$isunknown(tdata))))
  else $error("%s %0d: a pin is unknown", SIDE, PORT);
  valid_stays :
  assert property (@(posedge aclk) disable iff (!aresetn) tvalid && !tready |=> tvalid)
  else $error("%s %0d: valid stays until ready", SIDE, PORT);
  payload_stays :
  assert property (@(posedge aclk) disable iff (!aresetn) tvalid && !tready |=>
      !tvalid || $stable({tdata, tlast, tid, tdest, tuser}))
  else $error("%s %0d: what goes with valid stays until ready", SIDE, PORT);
  one_stream :
  assert property (@(posedge aclk) disable iff (!aresetn) tvalid && left != 0 |-> {tid, tdest} == stream)
  else $error("%s %0d: the flits of a packet have one tid and one tdest", SIDE, PORT);
  whole_packet :
  assert property (@(posedge aclk) disable iff (!aresetn) tvalid |-> tlast == (to_come == 1))
  else $error("%s %0d: a packet has as many flits as its header says", SIDE, PORT);
endmodule
