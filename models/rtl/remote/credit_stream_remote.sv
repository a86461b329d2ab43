// SPDX-License-Identifier: Apache-2.0
// A switch with the pins credit_stream (models/rtl/README.md) that WaferTLM drives from another process: wafertlm_rtl.h
// says how it is built and started. +define+CREDIT_STREAM_TOP=my_switch; its parameters are P, W, VC, DEPTH and OUT_DEPTH, or
// what +define+CREDIT_STREAM_PARAMETERS=.P(P),.W(W),... gives it.
`timescale 1ps / 1ps
`ifndef CREDIT_STREAM_PARAMETERS
`define CREDIT_STREAM_PARAMETERS .P(P), .W(W), .VC(VC), .DEPTH(DEPTH), .OUT_DEPTH(OUT_DEPTH)
`endif
/* verilator lint_off WIDTH */
module credit_stream_remote #(
    parameter int P = 2,
    parameter int W = 32,
    parameter int VC = 1,
    parameter int DEPTH = 16,
    parameter int OUT_DEPTH = DEPTH,
    parameter int FLOWS = 0,
    parameter int LATENCY = 0,  // cycles of a head; 0: not said
    parameter QUEUE = "",  // of an input: fifo or per_output
    parameter CONFIGURATION = "",  // as of wafertlm_add_rtl()
    parameter int SETTLE = 1  // ps from the inputs of a half cycle to its outputs
);
  localparam int B = VC > 1 ? $clog2(VC) : 1;
  localparam int INPUTS = 59 + P * (4 + 2 * B + 64 + W), OUTPUTS = P * (4 + 2 * B + 64 + W);
  logic clk, rst_n, cfg_valid;
  logic [P-1:0] in_valid, in_head, in_tail, in_credit, out_valid, out_head, out_tail, out_credit;
  logic [P*B-1:0] in_vc, in_credit_vc, out_vc, out_credit_vc;
  logic [P*64-1:0] in_header, out_header;
  logic [P*W-1:0] in_data, out_data;
  logic [15:0] cfg_flow;
  logic [7:0] cfg_word;
  logic [31:0] cfg_data;
  `CREDIT_STREAM_TOP #(`CREDIT_STREAM_PARAMETERS) dut (.*);

`include "remote.svh"
  assign from_module = {out_data, out_header, out_vc, out_tail, out_head, out_valid, in_credit_vc, in_credit};

  task drive;
    {cfg_data, cfg_word, cfg_flow, cfg_valid, out_credit_vc, out_credit, in_data, in_header, in_vc, in_tail, in_head,
       in_valid, rst_n, clk} = inputs[INPUTS-1:0];
  endtask

  task describe;
    `WAFERTLM_RTL(tell)("protocol credit_stream");
    `WAFERTLM_TOP(`CREDIT_STREAM_TOP);
    `WAFERTLM_PARAMETER(P);
    `WAFERTLM_PARAMETER(W);
    `WAFERTLM_PARAMETER(VC);
    `WAFERTLM_PARAMETER(DEPTH);
    `WAFERTLM_PARAMETER(OUT_DEPTH);
    `WAFERTLM_PARAMETER(FLOWS);
    `WAFERTLM_PARAMETER(LATENCY);
    `WAFERTLM_RTL(tell)({"parameter QUEUE ", QUEUE});
    `WAFERTLM_RTL(tell)({"parameter CONFIGURATION ", CONFIGURATION});
    `WAFERTLM_PIN(input, clk);
    `WAFERTLM_PIN(input, rst_n);
    `WAFERTLM_PIN(input, in_valid);
    `WAFERTLM_PIN(input, in_head);
    `WAFERTLM_PIN(input, in_tail);
    `WAFERTLM_PIN(input, in_vc);
    `WAFERTLM_PIN(input, in_header);
    `WAFERTLM_PIN(input, in_data);
    `WAFERTLM_PIN(input, out_credit);
    `WAFERTLM_PIN(input, out_credit_vc);
    `WAFERTLM_PIN(input, cfg_valid);
    `WAFERTLM_PIN(input, cfg_flow);
    `WAFERTLM_PIN(input, cfg_word);
    `WAFERTLM_PIN(input, cfg_data);
    `WAFERTLM_PIN(output, in_credit);
    `WAFERTLM_PIN(output, in_credit_vc);
    `WAFERTLM_PIN(output, out_valid);
    `WAFERTLM_PIN(output, out_head);
    `WAFERTLM_PIN(output, out_tail);
    `WAFERTLM_PIN(output, out_vc);
    `WAFERTLM_PIN(output, out_header);
    `WAFERTLM_PIN(output, out_data);
  endtask
endmodule
