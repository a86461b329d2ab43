// SPDX-License-Identifier: Apache-2.0
// FIFOs of AXI4-Stream flits side by side: what comes in at port i leaves at port P - 1 - i, a cycle later at the earliest.
// With one port it is a FIFO, with two a link in both directions.
module axi_fifo #(
    parameter int P = 1,
    parameter int W = 256,
    parameter int DEPTH = 16  // flits
) (
    input logic aclk,
    input logic aresetn,
    input logic [P-1:0] s_tvalid,
    output logic [P-1:0] s_tready,
    input logic [P*W-1:0] s_tdata,
    input logic [P-1:0] s_tlast,
    input logic [P*16-1:0] s_tid,
    input logic [P*8-1:0] s_tdest,
    input logic [P*64-1:0] s_tuser,
    output logic [P-1:0] m_tvalid,
    input logic [P-1:0] m_tready,
    output logic [P*W-1:0] m_tdata,
    output logic [P-1:0] m_tlast,
    output logic [P*16-1:0] m_tid,
    output logic [P*8-1:0] m_tdest,
    output logic [P*64-1:0] m_tuser
);
  localparam int A = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int N = $clog2(DEPTH + 1);

  function automatic logic [A-1:0] after(input logic [A-1:0] place);
    after = place == A'(DEPTH - 1) ? '0 : place + 1;
  endfunction

  for (genvar i = 0; i < P; i = i + 1) begin : g_fifo
    localparam int O = P - 1 - i;
    logic [W+88:0] flits[DEPTH];  // {last, id, dest, user, data}
    logic [A-1:0] read, write;
    logic [N-1:0] count;
    logic put, take;
    assign s_tready[i] = count != N'(DEPTH);
    assign m_tvalid[O] = count != 0;
    assign put = s_tvalid[i] && s_tready[i];
    assign take = m_tvalid[O] && m_tready[O];
    assign {m_tlast[O], m_tid[O*16+:16], m_tdest[O*8+:8], m_tuser[O*64+:64], m_tdata[O*W+:W]} = flits[read];
    always_ff @(posedge aclk) begin
      if (put) begin
        flits[write] <= {s_tlast[i], s_tid[i*16+:16], s_tdest[i*8+:8], s_tuser[i*64+:64], s_tdata[i*W+:W]};
        write <= after(write);
      end
      if (take) read <= after(read);
      count <= count + N'(put) - N'(take);
      if (!aresetn) begin
        write <= '0;
        read <= '0;
        count <= '0;
      end
    end
  end
endmodule
