// SPDX-License-Identifier: Apache-2.0
// Packets of two flits at a module whose pins this bench drives, all of them; +fault=NAME +side=output breaks a rule.
module driven_pins #(
    parameter int P = 2,
    parameter int W = 32
) (
    input logic aclk,
    input logic aresetn,
    input logic [P-1:0] s_tvalid, s_tready, s_tlast,
    input logic [P*W-1:0] s_tdata,
    input logic [P*16-1:0] s_tid,
    input logic [P*8-1:0] s_tdest,
    input logic [P*64-1:0] s_tuser,
    input logic [P-1:0] m_tvalid, m_tready, m_tlast,
    input logic [P*W-1:0] m_tdata,
    input logic [P*16-1:0] m_tid,
    input logic [P*8-1:0] m_tdest,
    input logic [P*64-1:0] m_tuser
);
endmodule

module faults;
  bit clk = 0, rst_n = 0;
  always #5 clk = ~clk;
  // Inputs below, outputs above: both directions are driven alike.
  logic [3:0] valid = 0, ready = 0, last = 0;
  logic [127:0] data = 0;
  logic [63:0] id = 0;
  logic [31:0] dest = 0;
  localparam logic [127:0] HEADERS = {2{24'd8, 24'd5, 16'h8001}};  // two flits
  driven_pins pins (
      .aclk(clk),
      .aresetn(rst_n),
      .s_tvalid(valid[1:0]),
      .s_tready(ready[1:0]),
      .s_tlast(last[1:0]),
      .s_tdata(data[63:0]),
      .s_tid(id[31:0]),
      .s_tdest(dest[15:0]),
      .s_tuser(HEADERS),
      .m_tvalid(valid[3:2]),
      .m_tready(ready[3:2]),
      .m_tlast(last[3:2]),
      .m_tdata(data[127:64]),
      .m_tid(id[63:32]),
      .m_tdest(dest[31:16]),
      .m_tuser(HEADERS)
  );

  int port;  // port 1 of a side
  task automatic show(input bit is_last, input logic [31:0] value, input logic [15:0] stream, input logic [7:0] to);
    valid[port] = 1;
    last[port] = is_last;
    data[32*port+:32] = value;
    id[16*port+:16] = stream;
    dest[8*port+:8] = to;
    @(negedge clk);
  endtask

  string fault, side;
  initial begin
    if ($value$plusargs("fault=%s", fault) == 0) fault = "none";
    if ($value$plusargs("side=%s", side) == 0) side = "input";
    port = side == "input" ? 1 : 3;
    repeat (3) @(negedge clk);
    if (fault == "reset") begin
      valid[port] = 1;
      repeat (4) @(negedge clk);
      valid = 0;
    end
    rst_n = 1;
    @(negedge clk);
    show(0, 1, 7, fault == "destination" ? 2 : 1);  // ready is low
    if (fault == "valid_falls") begin
      valid = 0;
      @(negedge clk);
    end
    show(0, fault == "payload_changes" ? 9 : 1, 7, 1);
    ready = 4'hf;
    show(0, 1, 7, 1);
    if (fault == "no_last") show(0, 2, 7, 1);
    show(1, 2, fault == "other_stream" ? 8 : 7, 1);
    if (fault == "early_last") show(1, 3, 7, 1);
    valid = 0;
    repeat (2) @(negedge clk);
    $display("no rule was broken");
    $finish;
  end
endmodule
