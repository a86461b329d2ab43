// SPDX-License-Identifier: Apache-2.0
// A checker in every instance of your switch, which has the parameters P and W: +define+AXI4_STREAM_TOP=my_switch
bind `AXI4_STREAM_TOP axi4_stream_checker #(
    .P(P),
    .W(W)
) protocol_checker (.*);
