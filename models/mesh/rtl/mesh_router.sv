// SPDX-License-Identifier: Apache-2.0
// A router of a mesh: virtual cut-through with credits and virtual channels. A flit is written into the buffer of its
// input, and leaves it when its output has chosen its packet; a register stands before each output. A head that comes alone
// is at the output two cycles later.
module mesh_router #(
    parameter int P = 5,
    parameter int W = 256,  // bits of a flit
    parameter int VC = 4,  // virtual channels
    parameter int CLASS_VC = 1,  // channels of a traffic class: it has CLASS_VC of them side by side
    parameter int DEPTH = 32,  // flits of a channel's buffer
    parameter int OUT_DEPTH = DEPTH,  // and of those behind the outputs
    parameter int PER_OUTPUT = 1,  // queues of a channel: one for each output, or one (0)
    parameter int B = VC > 1 ? $clog2(VC) : 1
) (
    input logic clk,
    input logic rst_n,
    input logic [P-1:0] in_valid,
    input logic [P-1:0] in_head,
    input logic [P-1:0] in_tail,
    input logic [P*B-1:0] in_vc,
    input logic [P*64-1:0] in_header,
    input logic [P*W-1:0] in_data,
    output logic [P-1:0] in_credit,
    output logic [P*B-1:0] in_credit_vc,
    output logic [P-1:0] out_valid,
    output logic [P-1:0] out_head,
    output logic [P-1:0] out_tail,
    output logic [P*B-1:0] out_vc,
    output logic [P*64-1:0] out_header,  // with every flit
    output logic [P*W-1:0] out_data,
    input logic [P-1:0] out_credit,
    input logic [P*B-1:0] out_credit_vc,
    input logic cfg_valid,  // there is nothing to configure
    input logic [15:0] cfg_flow,
    input logic [7:0] cfg_word,
    input logic [31:0] cfg_data
);
  localparam int I = P > 1 ? $clog2(P) : 1;

  logic unused;
  assign unused = &{1'b0, cfg_valid, cfg_flow, cfg_word, cfg_data};

  // [output][input][channel]
  logic [P*P*VC-1:0] waits, has_flit;
  logic [P*P*VC*64-1:0] header;
  logic [P*P-1:0] tail;  // [input][output]
  logic [P*P*W-1:0] data;
  logic [P-1:0] take;
  logic [P*I-1:0] take_input;
  logic [P*B-1:0] take_vc;

  for (genvar i = 0; i < P; i = i + 1) begin : g_input
    logic [P*VC-1:0] input_waits, input_has_flit;
    logic [P*VC*64-1:0] input_header;
    logic [P-1:0] input_take;
    router_input #(
        .P(P),
        .W(W),
        .VC(VC),
        .DEPTH(DEPTH),
        .PER_OUTPUT(PER_OUTPUT)
    ) port (
        .clk(clk),
        .rst_n(rst_n),
        .in_valid(in_valid[i]),
        .in_head(in_head[i]),
        .in_tail(in_tail[i]),
        .in_vc(in_vc[i*B+:B]),
        .in_header(in_header[i*64+:64]),
        .in_data(in_data[i*W+:W]),
        .in_credit(in_credit[i]),
        .in_credit_vc(in_credit_vc[i*B+:B]),
        .waits(input_waits),
        .has_flit(input_has_flit),
        .header(input_header),
        .take(input_take),
        .take_vc(take_vc),
        .tail(tail[i*P+:P]),
        .data(data[i*P*W+:P*W])
    );
    for (genvar o = 0; o < P; o = o + 1) begin : g_output
      assign input_take[o] = take[o] && take_input[o*I+:I] == I'(i);
      assign waits[(o*P+i)*VC+:VC] = input_waits[o*VC+:VC];
      assign has_flit[(o*P+i)*VC+:VC] = input_has_flit[o*VC+:VC];
      assign header[(o*P+i)*VC*64+:VC*64] = input_header[o*VC*64+:VC*64];
    end
  end

  for (genvar o = 0; o < P; o = o + 1) begin : g_output
    logic head;
    logic [B-1:0] vc;
    logic [63:0] sent_header;
    logic [I-1:0] from;
    logic sent_tail;
    assign from = take_input[o*I+:I];
    assign sent_tail = tail[32'(from)*P+o];
    router_output #(
        .P(P),
        .W(W),
        .VC(VC),
        .CLASS_VC(CLASS_VC),
        .OUT_DEPTH(OUT_DEPTH)
    ) port (
        .clk(clk),
        .rst_n(rst_n),
        .waits(waits[o*P*VC+:P*VC]),
        .has_flit(has_flit[o*P*VC+:P*VC]),
        .header(header[o*P*VC*64+:P*VC*64]),
        .take(take[o]),
        .take_input(take_input[o*I+:I]),
        .take_vc(take_vc[o*B+:B]),
        .take_tail(sent_tail),
        .head(head),
        .vc(vc),
        .take_header(sent_header),
        .out_credit(out_credit[o]),
        .out_credit_vc(out_credit_vc[o*B+:B])
    );
    always_ff @(posedge clk) begin
      out_valid[o] <= take[o] && rst_n;
      if (take[o]) begin
        out_head[o] <= head;
        out_tail[o] <= sent_tail;
        out_vc[o*B+:B] <= vc;
        out_header[o*64+:64] <= sent_header;
        out_data[o*W+:W] <= data[(32'(from)*P+o)*W+:W];
      end
    end
  end
endmodule
