// SPDX-License-Identifier: Apache-2.0
// A DMA engine, an AXI4 master: reads a descriptor, copies bytes in bursts that no 4 KB boundary cuts, whatever the alignment
// of either end, and writes a status. A descriptor is 32 B at a multiple of 32, little-endian:
//   source, 8 B; destination, 8 B; bytes, 4 B; status, 4 B: 1 done, 2 a read or write was refused; 8 B unused
module axi_dma #(
    parameter int W = 128,
    parameter int A = 40,
    parameter int I = 4,
    parameter int CHUNK = 1024  // bytes of a burst at most
) (
    input logic aclk,
    input logic aresetn,
    input logic start_valid,
    output logic start_ready,
    input logic [A-1:0] start_address,
    output logic finished,  // for a cycle: the status is written
    output logic [I-1:0] m_axi_awid,
    output logic [A-1:0] m_axi_awaddr,
    output logic [7:0] m_axi_awlen,
    output logic [2:0] m_axi_awsize,
    output logic [1:0] m_axi_awburst,
    output logic m_axi_awlock,
    output logic m_axi_awvalid,
    input logic m_axi_awready,
    output logic [W-1:0] m_axi_wdata,
    output logic [W/8-1:0] m_axi_wstrb,
    output logic m_axi_wlast,
    output logic m_axi_wvalid,
    input logic m_axi_wready,
    input logic [I-1:0] m_axi_bid,
    input logic [1:0] m_axi_bresp,
    input logic m_axi_bvalid,
    output logic m_axi_bready,
    output logic [I-1:0] m_axi_arid,
    output logic [A-1:0] m_axi_araddr,
    output logic [7:0] m_axi_arlen,
    output logic [2:0] m_axi_arsize,
    output logic [1:0] m_axi_arburst,
    output logic m_axi_arlock,
    output logic m_axi_arvalid,
    input logic m_axi_arready,
    input logic [I-1:0] m_axi_rid,
    input logic [W-1:0] m_axi_rdata,
    input logic [1:0] m_axi_rresp,
    input logic m_axi_rlast,
    input logic m_axi_rvalid,
    output logic m_axi_rready
);
  localparam int N = W / 8;
  localparam int L = $clog2(N);
  localparam int LINES = CHUNK / N + 2;
  localparam int P = $clog2(LINES);
  typedef enum logic [2:0] {IDLE, DESCRIPTOR, PLAN, READ, WRITE, ANSWER, STATUS} step_t;

  step_t step;
  logic [A-1:0] descriptor, source, destination;
  logic [31:0] left;
  logic [I-1:0] id;
  logic failed, is_status;
  logic [W-1:0] lines[LINES];
  logic [P-1:0] line;     // that is read, or written next
  logic [12:0] bytes;     // of the chunk
  logic [12:0] to_source_page, to_destination_page, planned;
  logic [L-1:0] shift;
  logic unused;
  assign unused = ^{m_axi_bid, m_axi_rid, m_axi_bresp[0], m_axi_rresp[0]};
  assign start_ready = step == IDLE;
  assign {m_axi_awlock, m_axi_arlock} = '0;
  assign {m_axi_awburst, m_axi_arburst} = {2'd1, 2'd1};
  assign m_axi_arsize = 3'(L);

  assign to_source_page = 13'd4096 - 13'(source[11:0]);
  assign to_destination_page = 13'd4096 - 13'(destination[11:0]);
  always_comb begin
    planned = left > CHUNK ? 13'(CHUNK) : 13'(left);
    if (planned > to_source_page) planned = to_source_page;
    if (planned > to_destination_page) planned = to_destination_page;
  end
  /// AxLEN of so many bytes from an address on.
  function automatic logic [7:0] length(input logic [L-1:0] first, input logic [12:0] count);
    length = 8'((13'(first) + count - 13'd1) >> L);
  endfunction

  // A line of the destination is made of two of the source.
  assign shift = source[L-1:0] - destination[L-1:0];
  logic [2*W-1:0] pair;
  logic [P-1:0] below;
  logic [W-1:0] next_data;
  logic [N-1:0] next_strobes;
  assign below = source[L-1:0] >= destination[L-1:0] ? line : line - 1;
  assign pair = {lines[below+1], lines[below]};
  assign next_data = W'(pair >> {shift, 3'b000});
  for (genvar n = 0; n < N; n = n + 1) begin : g_strobe
    logic [13:0] at;
    assign at = {14'(line) << L} + 14'(n);
    assign next_strobes[n] = at >= 14'(destination[L-1:0]) && at < 14'(destination[L-1:0]) + 14'(bytes);
  end
  logic w_load, w_ends;
  assign w_load = step == WRITE && (!m_axi_wvalid || m_axi_wready) && !w_ends;

  always_ff @(posedge aclk) begin
    finished <= 1'b0;
    if (m_axi_arready) m_axi_arvalid <= 1'b0;
    if (m_axi_awready) m_axi_awvalid <= 1'b0;
    if (m_axi_wready) m_axi_wvalid <= 1'b0;
    case (step)
      IDLE:
      if (start_valid) begin
        descriptor <= start_address;
        m_axi_araddr <= start_address;
        m_axi_arlen <= 8'(32 / N - 1);
        m_axi_arid <= id;
        m_axi_arvalid <= 1'b1;
        m_axi_rready <= 1'b1;
        line <= '0;
        failed <= 1'b0;
        step <= DESCRIPTOR;
      end
      DESCRIPTOR:
      if (m_axi_rvalid) begin
        if (m_axi_rresp[1]) failed <= 1'b1;
        line <= line + 1;
        if (line == 0) {destination, source} <= {m_axi_rdata[64+:A], m_axi_rdata[0+:A]};
        else left <= m_axi_rresp[1] || failed ? '0 : m_axi_rdata[31:0];
        if (m_axi_rlast) begin
          m_axi_rready <= 1'b0;
          step <= PLAN;
        end
      end
      PLAN:
      if (left == 0 || failed) begin
        step <= STATUS;
      end else begin
        bytes <= planned;
        id <= id + 1;
        m_axi_araddr <= source;
        m_axi_arlen <= length(source[L-1:0], planned);
        m_axi_arid <= id;
        m_axi_arvalid <= 1'b1;
        m_axi_rready <= 1'b1;
        line <= '0;
        step <= READ;
      end
      READ:
      if (m_axi_rvalid) begin
        if (m_axi_rresp[1]) failed <= 1'b1;
        lines[line] <= m_axi_rdata;
        line <= line + 1;
        if (m_axi_rlast) begin
          m_axi_rready <= 1'b0;
          line <= '0;
          is_status <= 1'b0;
          w_ends <= 1'b0;
          m_axi_awaddr <= destination;
          m_axi_awlen <= length(destination[L-1:0], bytes);
          m_axi_awsize <= 3'(L);
          m_axi_awid <= id;
          step <= failed || m_axi_rresp[1] ? STATUS : WRITE;
          m_axi_awvalid <= !(failed || m_axi_rresp[1]);
        end
      end
      WRITE: begin
        if (w_load) begin
          m_axi_wvalid <= 1'b1;
          m_axi_wdata <= next_data;
          m_axi_wstrb <= next_strobes;
          m_axi_wlast <= 8'(line) == m_axi_awlen;
          w_ends <= 8'(line) == m_axi_awlen;
          line <= line + 1;
        end
        if (w_ends && (!m_axi_wvalid || m_axi_wready) && (!m_axi_awvalid || m_axi_awready)) begin
          m_axi_bready <= 1'b1;
          step <= ANSWER;
        end
      end
      ANSWER:
      if (m_axi_bvalid) begin
        m_axi_bready <= 1'b0;
        if (m_axi_bresp[1]) failed <= 1'b1;
        source <= source + A'(bytes);
        destination <= destination + A'(bytes);
        left <= left - 32'(bytes);
        finished <= is_status;
        step <= is_status ? IDLE : PLAN;
      end
      STATUS: begin
        m_axi_awaddr <= descriptor + A'(20);
        m_axi_awlen <= '0;
        m_axi_awsize <= 3'd2;
        m_axi_awid <= id;
        m_axi_awvalid <= 1'b1;
        m_axi_wdata <= W'(failed ? 2 : 1) << 32;
        m_axi_wstrb <= N'(15) << 4;
        m_axi_wlast <= 1'b1;
        m_axi_wvalid <= 1'b1;
        is_status <= 1'b1;
        w_ends <= 1'b1;
        step <= WRITE;
      end
      default: step <= IDLE;
    endcase
    if (!aresetn) begin
      step <= IDLE;
      id <= '0;
      m_axi_arvalid <= 1'b0;
      m_axi_awvalid <= 1'b0;
      m_axi_wvalid <= 1'b0;
      m_axi_rready <= 1'b0;
      m_axi_bready <= 1'b0;
      finished <= 1'b0;
    end
  end
endmodule
