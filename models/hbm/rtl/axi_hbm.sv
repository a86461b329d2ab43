// SPDX-License-Identifier: Apache-2.0
// An HBM controller behind AXI4: a beat of reads and a beat of writes per cycle. The first beat of an idle read comes LATENCY
// cycles after its address, the answer of an idle write of n beats LATENCY + n - 1 after. A bank that began a burst begins the
// next one BANK_CYCLES later; meanwhile bursts of other IDs overtake. Exclusive bursts are answered with OKAY.
module axi_hbm #(
    parameter int W = 512,          // bits of data
    parameter int A = 40,           // of addresses
    parameter int I = 4,            // of IDs
    parameter int LATENCY = 20,     // cycles, at least 4
    parameter int QUEUE = 16,       // bursts under way, reads and writes each
    parameter int BANKS = 8,        // 4 KB in turn
    parameter int BANK_CYCLES = 8
) (
    input logic aclk,
    input logic aresetn,
    input logic [I-1:0] s_axi_awid,
    input logic [A-1:0] s_axi_awaddr,
    input logic [7:0] s_axi_awlen,
    input logic [2:0] s_axi_awsize,
    input logic [1:0] s_axi_awburst,
    input logic s_axi_awlock,
    input logic s_axi_awvalid,
    output logic s_axi_awready,
    input logic [W-1:0] s_axi_wdata,
    input logic [W/8-1:0] s_axi_wstrb,
    input logic s_axi_wlast,
    input logic s_axi_wvalid,
    output logic s_axi_wready,
    output logic [I-1:0] s_axi_bid,
    output logic [1:0] s_axi_bresp,
    output logic s_axi_bvalid,
    input logic s_axi_bready,
    input logic [I-1:0] s_axi_arid,
    input logic [A-1:0] s_axi_araddr,
    input logic [7:0] s_axi_arlen,
    input logic [2:0] s_axi_arsize,
    input logic [1:0] s_axi_arburst,
    input logic s_axi_arlock,
    input logic s_axi_arvalid,
    output logic s_axi_arready,
    output logic [I-1:0] s_axi_rid,
    output logic [W-1:0] s_axi_rdata,
    output logic [1:0] s_axi_rresp,
    output logic s_axi_rlast,
    output logic s_axi_rvalid,
    input logic s_axi_rready
);
  localparam int N = $clog2(QUEUE + 1);
  localparam int Q = $clog2(QUEUE);
  localparam int B = $clog2(BANKS);
  localparam int T = $clog2(LATENCY + BANK_CYCLES + 1);

  typedef struct packed {
    logic [I-1:0] id;
    logic [A-1:0] addr;  // of the next beat
    logic [7:0] len;
    logic [2:0] size;
    logic [1:0] kind;    // AxBURST
  } burst_t;

  function automatic logic [A-1:0] next(input logic [A-1:0] addr, input logic [7:0] len, input logic [2:0] size,
                                        input logic [1:0] kind);
    logic [A-1:0] bytes, mask, step;
    bytes = A'(1) << size;
    mask = ((A'(len) + 1) << size) - 1;
    step = (addr & ~(bytes - 1)) + bytes;
    case (kind)
      2'd0: next = addr;
      2'd2: next = (addr & ~mask) | (step & mask);
      default: next = step;
    endcase
  endfunction

  logic unused;
  assign unused = s_axi_awlock ^ s_axi_arlock;

  // ---- writes: addresses wait in a FIFO, its head takes a beat of data per cycle
  burst_t aw[QUEUE], aw_head;
  logic [Q-1:0] aw_first;
  logic [N-1:0] aw_count;
  logic w_begun;
  logic [A-1:0] w_addr;
  logic aw_put, w_take, w_end;
  assign s_axi_awready = aw_count != N'(QUEUE);
  assign s_axi_wready = aw_count != 0 && b_count != N'(QUEUE);
  assign aw_put = s_axi_awvalid && s_axi_awready;
  assign w_take = s_axi_wvalid && s_axi_wready;
  assign w_end = w_take && s_axi_wlast;
  always_comb begin
    aw_head = aw[aw_first];
    if (w_begun) aw_head.addr = w_addr;
  end
  always_ff @(posedge aclk) begin
    if (aw_put) aw[Q'(aw_first + Q'(aw_count))] <= '{s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst};
    if (w_take) begin
      w_begun <= !s_axi_wlast;
      w_addr <= next(aw_head.addr, aw_head.len, aw_head.size, aw_head.kind);
    end
    if (w_end) aw_first <= aw_first + 1;
    aw_count <= aw_count + N'(aw_put) - N'(w_end);
    if (!aresetn) begin
      w_begun <= 1'b0;
      aw_first <= '0;
      aw_count <= '0;
    end
  end

  // ---- their answers: the oldest first, which moves up
  logic [I-1:0] b_id[QUEUE];
  logic [T-1:0] b_wait[QUEUE];
  logic [N-1:0] b_count;
  logic [T-1:0] w_busy[BANKS];
  logic b_found, b_load;
  logic [Q-1:0] b_at;
  always_comb begin
    logic free;
    free = 1'b0;
    b_found = 1'b0;
    b_at = '0;
    for (int i = QUEUE - 1; i >= 0; i--)
      if (N'(i) < b_count && b_wait[i] == 0) begin
        free = 1'b1;
        for (int j = 0; j < i; j++) if (b_id[j] == b_id[i]) free = 1'b0;
        if (free) begin
          b_found = 1'b1;
          b_at = Q'(i);
        end
      end
  end
  assign b_load = b_found && (!s_axi_bvalid || s_axi_bready);
  assign s_axi_bresp = 2'b00;
  always_ff @(posedge aclk) begin
    if (s_axi_bready) s_axi_bvalid <= 1'b0;
    if (b_load) begin
      s_axi_bvalid <= 1'b1;
      s_axi_bid <= b_id[b_at];
    end
    for (int i = 0; i < QUEUE; i++) begin
      if (b_load && i >= int'(b_at)) begin
        if (i + 1 < QUEUE) begin
          b_id[i] <= b_id[i+1];
          b_wait[i] <= b_wait[i+1] - T'(b_wait[i+1] != 0);
        end
      end else begin
        b_wait[i] <= b_wait[i] - T'(b_wait[i] != 0);
      end
    end
    for (int k = 0; k < BANKS; k++) w_busy[k] <= w_busy[k] - T'(w_busy[k] != 0);
    if (w_end) begin
      b_id[Q'(b_count - N'(b_load))] <= aw_head.id;
      b_wait[Q'(b_count - N'(b_load))] <= T'(LATENCY - 3) + w_busy[aw_head.addr[12+:B]];
      w_busy[aw_head.addr[12+:B]] <= T'(BANK_CYCLES);
    end
    b_count <= b_count + N'(w_end) - N'(b_load);
    if (!aresetn) begin
      s_axi_bvalid <= 1'b0;
      b_count <= '0;
      for (int k = 0; k < BANKS; k++) w_busy[k] <= '0;
    end
  end

  // ---- reads: the oldest first, which moves up; one at a time has the data
  burst_t ar[QUEUE], now;
  logic [T-1:0] ar_wait[QUEUE];
  logic [N-1:0] ar_count;
  logic [T-1:0] r_busy[BANKS];
  logic ar_put, ar_found, ar_load, r_load, now_valid;
  logic [7:0] now_left;
  logic [Q-1:0] ar_at;
  always_comb begin
    logic free;
    free = 1'b0;
    ar_found = 1'b0;
    ar_at = '0;
    for (int i = QUEUE - 1; i >= 0; i--)
      if (N'(i) < ar_count && ar_wait[i] == 0 && r_busy[ar[i].addr[12+:B]] == 0) begin
        free = 1'b1;
        for (int j = 0; j < i; j++) if (ar[j].id == ar[i].id) free = 1'b0;
        if (free) begin
          ar_found = 1'b1;
          ar_at = Q'(i);
        end
      end
  end
  assign s_axi_arready = ar_count != N'(QUEUE);
  assign ar_put = s_axi_arvalid && s_axi_arready;
  assign r_load = now_valid && (!s_axi_rvalid || s_axi_rready);
  assign ar_load = ar_found && (!now_valid || (r_load && now_left == 0));
  assign s_axi_rresp = 2'b00;
  always_ff @(posedge aclk) begin
    if (s_axi_rready) s_axi_rvalid <= 1'b0;
    if (r_load) begin
      s_axi_rvalid <= 1'b1;
      s_axi_rid <= now.id;
      s_axi_rlast <= now_left == 0;
      now_left <= now_left - 1;
      now.addr <= next(now.addr, now.len, now.size, now.kind);
      if (now_left == 0) now_valid <= 1'b0;
    end
    for (int k = 0; k < BANKS; k++) r_busy[k] <= r_busy[k] - T'(r_busy[k] != 0);
    if (ar_load) begin
      now <= ar[ar_at];
      now_left <= ar[ar_at].len;
      now_valid <= 1'b1;
      r_busy[ar[ar_at].addr[12+:B]] <= T'(BANK_CYCLES);
    end
    for (int i = 0; i < QUEUE; i++) begin
      if (ar_load && i >= int'(ar_at)) begin
        if (i + 1 < QUEUE) begin
          ar[i] <= ar[i+1];
          ar_wait[i] <= ar_wait[i+1] - T'(ar_wait[i+1] != 0);
        end
      end else begin
        ar_wait[i] <= ar_wait[i] - T'(ar_wait[i] != 0);
      end
    end
    if (ar_put) begin
      ar[Q'(ar_count - N'(ar_load))] <= '{s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst};
      ar_wait[Q'(ar_count - N'(ar_load))] <= T'(LATENCY - 3);
    end
    ar_count <= ar_count + N'(ar_put) - N'(ar_load);
    if (!aresetn) begin
      s_axi_rvalid <= 1'b0;
      now_valid <= 1'b0;
      ar_count <= '0;
      for (int k = 0; k < BANKS; k++) r_busy[k] <= '0;
    end
  end

  dram_array #(
      .W(W),
      .A(A)
  ) u_array (
      .clk(aclk),
      .write(w_take),
      .write_address(aw_head.addr),
      .write_data(s_axi_wdata),
      .write_strobes(s_axi_wstrb),
      .read(r_load),
      .read_address(now.addr),
      .read_data(s_axi_rdata)
  );
endmodule
