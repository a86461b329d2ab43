// SPDX-License-Identifier: Apache-2.0
// An input of the router: a buffer for each virtual channel, the memory of their flits, and the credits on their way back, a flit in each cycle.
module router_input #(
    parameter int P = 5,
    parameter int W = 256,
    parameter int VC = 4,
    parameter int DEPTH = 32,
    parameter int PER_OUTPUT = 1,
    parameter int B = VC > 1 ? $clog2(VC) : 1
) (
    input logic clk,
    input logic rst_n,
    input logic in_valid,
    input logic in_head,
    input logic in_tail,
    input logic [B-1:0] in_vc,
    input logic [63:0] in_header,
    input logic [W-1:0] in_data,
    output logic in_credit,
    output logic [B-1:0] in_credit_vc,
    // For each output and channel.
    output logic [P*VC-1:0] waits,
    output logic [P*VC-1:0] has_flit,
    output logic [P*VC*64-1:0] header,
    // Each output may take a flit, of any channel.
    input logic [P-1:0] take,
    input logic [P*B-1:0] take_vc,
    output logic [P-1:0] tail,
    output logic [P*W-1:0] data
);
  localparam int N = $clog2(DEPTH + 1);
  localparam int A = DEPTH > 1 ? $clog2(DEPTH) : 1;

  logic [VC*8-1:0] towards;  // outputs of the packets that are coming
  logic [7:0] put_output;
  logic [W:0] flits[VC*DEPTH];
  logic [A-1:0] place[VC];
  logic [VC*P*A-1:0] front;
  assign put_output = in_head ? in_header[7:0] : towards[in_vc*8+:8];
  always_ff @(posedge clk) if (in_valid && in_head) towards[in_vc*8+:8] <= in_header[7:0];
  always_ff @(posedge clk) if (in_valid) flits[32'(in_vc)*DEPTH+32'(place[in_vc])] <= {in_tail, in_data};

  for (genvar v = 0; v < VC; v = v + 1) begin : g_channel
    logic [P-1:0] channel_waits, channel_has_flit, channel_take;
    logic [P*64-1:0] channel_header;
    channel_buffer #(
        .P(P),
        .DEPTH(DEPTH),
        .PER_OUTPUT(PER_OUTPUT)
    ) buffer (
        .clk(clk),
        .rst_n(rst_n),
        .put(in_valid && in_vc == B'(v)),
        .put_head(in_head),
        .put_tail(in_tail),
        .put_output(put_output),
        .put_header(in_header),
        .place(place[v]),
        .waits(channel_waits),
        .header(channel_header),
        .has_flit(channel_has_flit),
        .take(channel_take),
        .front(front[v*P*A+:P*A])
    );
    for (genvar o = 0; o < P; o = o + 1) begin : g_output
      assign channel_take[o] = take[o] && take_vc[o*B+:B] == B'(v);
      assign waits[o*VC+v] = channel_waits[o];
      assign has_flit[o*VC+v] = channel_has_flit[o];
      assign header[(o*VC+v)*64+:64] = channel_header[o*64+:64];
    end
  end
  for (genvar o = 0; o < P; o = o + 1) begin : g_flit
    logic [B-1:0] from;
    assign from = take_vc[o*B+:B];
    assign {tail[o], data[o*W+:W]} = take[o] ? flits[32'(from)*DEPTH+32'(front[(32'(from)*P+o)*A+:A])] : '0;
  end

  // Places that are free and not yet known to be: the channels take turns.
  logic [VC*N-1:0] owed, next_owed;
  logic [B-1:0] next_vc, vc;
  always_comb begin
    next_owed = owed;
    for (int o = 0; o < P; o = o + 1)
      if (take[o]) next_owed[take_vc[o*B+:B]*N+:N] = next_owed[take_vc[o*B+:B]*N+:N] + 1;
    vc = next_vc;
    for (int k = VC - 1; k >= 0; k = k - 1)
      if (next_owed[((32'(next_vc)+k)%VC)*N+:N] != 0) vc = B'((32'(next_vc) + k) % VC);
  end
  always_ff @(posedge clk) begin
    owed <= next_owed;
    in_credit <= |next_owed;
    in_credit_vc <= vc;
    if (|next_owed) begin
      owed[vc*N+:N] <= next_owed[vc*N+:N] - 1;
      next_vc <= 32'(vc) == VC - 1 ? '0 : vc + 1;
    end
    if (!rst_n) begin
      owed <= '0;
      in_credit <= 1'b0;
      next_vc <= '0;
    end
  end
endmodule
