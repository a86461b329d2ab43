// SPDX-License-Identifier: Apache-2.0
// A packet of two flits crosses a module whose pins this bench drives, all of them; +fault=NAME +side=output breaks a rule.
module driven_pins #(
    parameter int P = 2,
    parameter int W = 32,
    parameter int VC = 3,
    parameter int DEPTH = 2,
    parameter int OUT_DEPTH = 2
) (
    input logic clk,
    input logic rst_n,
    input logic [P-1:0] in_valid, in_head, in_tail,
    input logic [2*P-1:0] in_vc,
    input logic [64*P-1:0] in_header,
    input logic [W*P-1:0] in_data,
    input logic [P-1:0] in_credit,
    input logic [2*P-1:0] in_credit_vc,
    input logic [P-1:0] out_valid, out_head, out_tail,
    input logic [2*P-1:0] out_vc,
    input logic [64*P-1:0] out_header,
    input logic [W*P-1:0] out_data,
    input logic [P-1:0] out_credit,
    input logic [2*P-1:0] out_credit_vc
);
endmodule

module faults;
  bit clk = 0, rst_n = 0;
  always #5 clk = ~clk;
  // Inputs below, outputs above: both directions are driven alike.
  logic [3:0] valid = 0, head = 0, tail = 0, credit = 0;
  logic [7:0] vc = 0, credit_vc = 0;
  localparam logic [127:0] HEADERS = {2{24'd8, 24'd5, 16'h8001}};  // two flits
  driven_pins pins (
      .clk(clk),
      .rst_n(rst_n),
      .in_valid(valid[1:0]),
      .in_head(head[1:0]),
      .in_tail(tail[1:0]),
      .in_vc(vc[3:0]),
      .in_header(HEADERS),
      .in_data('0),
      .in_credit(credit[1:0]),
      .in_credit_vc(credit_vc[3:0]),
      .out_valid(valid[3:2]),
      .out_head(head[3:2]),
      .out_tail(tail[3:2]),
      .out_vc(vc[7:4]),
      .out_header(HEADERS),
      .out_data('0),
      .out_credit(credit[3:2]),
      .out_credit_vc(credit_vc[7:4])
  );

  int port;  // port 1 of a side
  task automatic flit(input bit is_head, input bit is_tail, input logic [1:0] channel);
    valid[port] = 1;
    head[port] = is_head;
    tail[port] = is_tail;
    vc[2*port+:2] = channel;
    @(negedge clk) valid = 0;
  endtask
  task automatic give_back(input logic [1:0] channel);
    credit[port] = 1;
    credit_vc[2*port+:2] = channel;
    @(negedge clk) credit = 0;
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
    if (fault == "no_head") flit(0, 1, 2);
    flit(1, 0, 2);
    if (fault == "two_heads") flit(1, 0, 2);
    if (fault == "no_tail") begin
      flit(0, 0, 2);
      flit(0, 1, 2);
    end
    if (fault == "channel") flit(1, 0, 3);
    flit(0, 1, 2);
    if (fault == "early_tail") flit(1, 1, 1);
    if (fault == "no_credit") flit(1, 0, 2);
    give_back(2);
    give_back(2);
    if (fault == "credit_too_many") give_back(2);
    if (fault == "credit_channel") give_back(3);
    // A credit may be used in the cycle in which it comes.
    flit(1, 0, 0);
    flit(0, 1, 0);
    credit[port] = 1;
    credit_vc[2*port+:2] = 0;
    flit(1, 0, 0);
    flit(0, 1, 0);
    @(negedge clk) credit = 0;
    @(negedge clk);
    $display("no rule was broken");
    $finish;
  end
endmodule
