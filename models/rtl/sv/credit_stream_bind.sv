// SPDX-License-Identifier: Apache-2.0
// A checker in every instance of your switch, which has the parameters P, W, VC, DEPTH and OUT_DEPTH:
//   +define+CREDIT_STREAM_TOP=my_switch [+define+CREDIT_STREAM_OUT_DEPTH=DEPTH]     for one without OUT_DEPTH
`ifndef CREDIT_STREAM_OUT_DEPTH
`define CREDIT_STREAM_OUT_DEPTH OUT_DEPTH
`endif
bind `CREDIT_STREAM_TOP credit_stream_checker #(
    .P(P),
    .W(W),
    .VC(VC),
    .DEPTH(DEPTH),
    .OUT_DEPTH(`CREDIT_STREAM_OUT_DEPTH)
) protocol_checker (.*);
