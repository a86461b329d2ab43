// SPDX-License-Identifier: Apache-2.0
// A switch with the pins credit_stream that Icarus Verilog 11 runs, too (through ports that are unpacked arrays, as the mesh
// router has them, it lets X): a queue at each input, outputs that take the inputs in turns, packet by packet. One channel.
module queue_switch #(
    parameter int P = 3,
    parameter int W = 64,
    parameter int VC = 1,
    parameter int DEPTH = 16,
    parameter int OUT_DEPTH = DEPTH
) (
    input logic clk,
    input logic rst_n,
    input logic [P-1:0] in_valid, in_head, in_tail,
    input logic [P*VC-1:0] in_vc,
    input logic [P*64-1:0] in_header,
    input logic [P*W-1:0] in_data,
    output logic [P-1:0] in_credit,
    output logic [P*VC-1:0] in_credit_vc,
    output logic [P-1:0] out_valid, out_head, out_tail,
    output logic [P*VC-1:0] out_vc,
    output logic [P*64-1:0] out_header,
    output logic [P*W-1:0] out_data,
    input logic [P-1:0] out_credit,
    input logic [P*VC-1:0] out_credit_vc,
    input logic cfg_valid,
    input logic [15:0] cfg_flow,
    input logic [7:0] cfg_word,
    input logic [31:0] cfg_data
);
  localparam int A = DEPTH > 1 ? $clog2(DEPTH) : 1, N = $clog2(DEPTH + 1), M = $clog2(OUT_DEPTH + 1);
  localparam int I = P > 1 ? $clog2(P) : 1, F = W + 66;
  logic [P-1:0] waits;
  logic [P*F-1:0] fronts;  // {tail, head, header, data}
  logic [P*8-1:0] towards;
  logic [P*P-1:0] takes;  // [output][input]
  assign in_credit_vc = '0;
  assign out_vc = '0;

  for (genvar i = 0; i < P; i = i + 1) begin : g_input
    logic [F-1:0] queue[DEPTH];
    logic [F-1:0] front;
    logic [A-1:0] read, write;
    logic [N-1:0] count;
    logic [7:0] begun;  // where the packet goes whose head has left
    logic take;
    assign front = queue[read];
    assign fronts[i*F+:F] = front;
    assign waits[i] = count != 0;
    assign towards[i*8+:8] = front[F-2] ? front[W+:8] : begun;
    always_comb begin
      take = 1'b0;
      for (int o = 0; o < P; o = o + 1) take = take | takes[o*P+i];
    end
    always_ff @(posedge clk) begin
      if (in_valid[i]) begin
        queue[write] <= {in_tail[i], in_head[i], in_header[i*64+:64], in_data[i*W+:W]};
        write <= write == A'(DEPTH - 1) ? '0 : write + 1;
      end
      if (take) begin
        read <= read == A'(DEPTH - 1) ? '0 : read + 1;
        begun <= towards[i*8+:8];
      end
      count <= count + N'(in_valid[i]) - N'(take);
      in_credit[i] <= take;
      if (!rst_n) begin
        read <= '0;
        write <= '0;
        count <= '0;
        in_credit[i] <= 1'b0;
      end
    end
  end

  for (genvar o = 0; o < P; o = o + 1) begin : g_output
    logic busy, found;  // within a packet; a flit goes
    logic [I-1:0] owner, winner;  // the input whose packet went last; that of the flit
    logic [M-1:0] credits;
    always_comb begin
      found = 1'b0;
      winner = owner;
      for (int k = P; k >= 1; k = k - 1)
        if (waits[(32'(owner)+k)%P] && towards[((32'(owner)+k)%P)*8+:8] == 8'(o) && credits != 0 && (!busy || k == P)) begin
          found = 1'b1;
          winner = I'((32'(owner) + k) % P);
        end
    end
    for (genvar i = 0; i < P; i = i + 1) begin : g_take
      assign takes[o*P+i] = found && winner == I'(i);
    end
    always_ff @(posedge clk) begin
      out_valid[o] <= found;
      {out_tail[o], out_head[o], out_header[o*64+:64], out_data[o*W+:W]} <= fronts[winner*F+:F];
      credits <= credits + M'(out_credit[o]) - M'(found);
      if (found) begin
        owner <= winner;
        busy <= !fronts[winner*F+F-1];
      end
      if (!rst_n) begin
        out_valid[o] <= 1'b0;
        busy <= 1'b0;
        owner <= '0;
        credits <= M'(OUT_DEPTH);
      end
    end
  end
endmodule
