// SPDX-License-Identifier: Apache-2.0
// A switch with the pins axi4_stream (models/rtl/README.md) that WaferTLM drives from another process: wafertlm_rtl.h says
// how it is built and started. +define+AXI4_STREAM_TOP=my_switch; its parameters are P and W, or what
// +define+AXI4_STREAM_PARAMETERS=.P(P),... gives it.
`timescale 1ps / 1ps
`ifndef AXI4_STREAM_PARAMETERS
`define AXI4_STREAM_PARAMETERS .P(P), .W(W)
`endif
/* verilator lint_off WIDTH */
module axi4_stream_remote #(
    parameter int P = 1,
    parameter int W = 256,
    parameter int LATENCY = 0,  // cycles of a head; 0: not said
    parameter QUEUE = "",  // of an input: fifo or per_output
    parameter int SETTLE = 1  // ps from the inputs of a half cycle to its outputs
);
  localparam int INPUTS = 2 + P * (3 + W + 16 + 8 + 64), OUTPUTS = P * (3 + W + 16 + 8 + 64);
  logic aclk, aresetn;
  logic [P-1:0] s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast;
  logic [P*W-1:0] s_tdata, m_tdata;
  logic [P*16-1:0] s_tid, m_tid;
  logic [P*8-1:0] s_tdest, m_tdest;
  logic [P*64-1:0] s_tuser, m_tuser;
  `AXI4_STREAM_TOP #(`AXI4_STREAM_PARAMETERS) dut (.*);

`include "remote.svh"
  assign from_module = {m_tuser, m_tdest, m_tid, m_tlast, m_tdata, m_tvalid, s_tready};

  task drive;
    {m_tready, s_tuser, s_tdest, s_tid, s_tlast, s_tdata, s_tvalid, aresetn, aclk} = inputs[INPUTS-1:0];
  endtask

  task describe;
    `WAFERTLM_RTL(tell)("protocol axi4_stream");
    `WAFERTLM_TOP(`AXI4_STREAM_TOP);
    `WAFERTLM_PARAMETER(P);
    `WAFERTLM_PARAMETER(W);
    `WAFERTLM_PARAMETER(LATENCY);
    `WAFERTLM_RTL(tell)({"parameter QUEUE ", QUEUE});
    `WAFERTLM_PIN(input, aclk);
    `WAFERTLM_PIN(input, aresetn);
    `WAFERTLM_PIN(input, s_tvalid);
    `WAFERTLM_PIN(input, s_tdata);
    `WAFERTLM_PIN(input, s_tlast);
    `WAFERTLM_PIN(input, s_tid);
    `WAFERTLM_PIN(input, s_tdest);
    `WAFERTLM_PIN(input, s_tuser);
    `WAFERTLM_PIN(input, m_tready);
    `WAFERTLM_PIN(output, s_tready);
    `WAFERTLM_PIN(output, m_tvalid);
    `WAFERTLM_PIN(output, m_tdata);
    `WAFERTLM_PIN(output, m_tlast);
    `WAFERTLM_PIN(output, m_tid);
    `WAFERTLM_PIN(output, m_tdest);
    `WAFERTLM_PIN(output, m_tuser);
  endtask
endmodule
