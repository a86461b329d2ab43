// SPDX-License-Identifier: Apache-2.0
// The least that has the pins of credit_stream: what comes to input i leaves by output P - 1 - i a cycle later, and credits
// go straight through. +fault=data, lost and channel break it.
module swapped_wires #(
    parameter int P = 2,
    parameter int W = 32,
    parameter int VC = 2,
    parameter int DEPTH = 4,
    parameter int OUT_DEPTH = DEPTH
) (
    input logic clk,
    input logic rst_n,
    input logic [P-1:0] in_valid, in_head, in_tail,
    input logic [P-1:0] in_vc,
    input logic [P*64-1:0] in_header,
    input logic [P*W-1:0] in_data,
    output logic [P-1:0] in_credit,
    output logic [P-1:0] in_credit_vc,
    output logic [P-1:0] out_valid, out_head, out_tail,
    output logic [P-1:0] out_vc,
    output logic [P*64-1:0] out_header,
    output logic [P*W-1:0] out_data,
    input logic [P-1:0] out_credit,
    input logic [P-1:0] out_credit_vc,
    input logic cfg_valid,
    input logic [15:0] cfg_flow,
    input logic [7:0] cfg_word,
    input logic [31:0] cfg_data
);
  string fault;
  initial if ($value$plusargs("fault=%s", fault) == 0) fault = "none";
  logic losing = 0;  // a packet: all of its flits
  always_ff @(posedge clk) begin
    for (int i = 0; i < P; i++) begin
      out_valid[i] <= rst_n && in_valid[P-1-i];
      out_head[i] <= in_head[P-1-i];
      out_tail[i] <= in_tail[P-1-i];
      out_vc[i] <= in_vc[P-1-i] ^ (fault == "channel");
      out_header[i*64+:64] <= in_header[(P-1-i)*64+:64];
      out_data[i*W+:W] <= in_data[(P-1-i)*W+:W] ^ W'(fault == "data" && in_tail[P-1-i] && !in_head[P-1-i]);
      in_credit[i] <= rst_n && out_credit[P-1-i];
      in_credit_vc[i] <= out_credit_vc[P-1-i];
    end
    if (in_valid[0] && fault == "lost") begin
      if (in_head[0] && in_header[39:16] == 2) losing <= !in_tail[0];
      else if (in_tail[0]) losing <= 0;
      if (losing || (in_head[0] && in_header[39:16] == 2)) out_valid[P-1] <= 0;
    end
  end
endmodule
