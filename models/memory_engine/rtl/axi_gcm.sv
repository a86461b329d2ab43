// SPDX-License-Identifier: Apache-2.0
// A memory engine's cipher behind AXI4: AES-256-GCM (NIST SP 800-38D) over a page, in chunks of 4 KB that are written into a
// buffer, sealed or opened in place, and read. About 17 cycles for a block of 16 B: AES and GHASH work side by side. While a
// command runs nothing is written or read. Byte n of what is stored is at address n; addresses:
//   0x000 key, 32 B   0x020 IV, 12 B   0x080 additional data, 64 B   0x050 tag   0x060 tag that is expected   0x1000 chunk
//   0x030 bytes of the chunk, 4 B; of the additional data, 1 B; the command, 1 B, which begins when it is written:
//         1 begins a page, 2 seals a chunk, 3 opens one, 4 ends the page: the tag is there
//   0x040 1: the tag is the expected one
// Only the last chunk of a page may be no multiple of 16 B.
module axi_gcm #(
    parameter int W = 128,
    parameter int A = 13,
    parameter int I = 4
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
  typedef enum logic [3:0] {
    IDLE, EXPAND, MAKE_H, WAIT_H, MAKE_MASK, WAIT_MASK, ADD_DATA, NEXT_BLOCK, FETCH, CRYPT, LENGTHS, LAST
  } step_t;

  /// Byte 0 on top, as in the standards.
  function automatic logic [127:0] on_top(input logic [127:0] lanes);
    for (int n = 0; n < 16; n++) on_top[127-8*n-:8] = lanes[8*n+:8];
  endfunction
  function automatic logic [127:0] first_bytes(input logic [4:0] count);
    for (int n = 0; n < 16; n++) first_bytes[127-8*n-:8] = {8{5'(n) < count}};
  endfunction

  step_t step;
  logic write, read, unused;
  logic [A-1:0] write_address, read_address;
  logic [127:0] lines[16];   // registers, by address / 16
  logic [127:0] chunk[256];
  logic [127:0] mask, h, counter_mask, sum, text, out, tag;
  logic [31:0] counter, left;
  logic [60:0] total;        // bytes that were sealed or opened
  logic [7:0] place, aad_left;
  logic opens, begins;
  assign s_axi_bresp = 2'b00;
  assign s_axi_rresp = 2'b00;
  assign unused = ^{s_axi_awlock, s_axi_arlock, write_address[3:0], read_address[3:0]};

  axi4_target #(
      .W(W),
      .A(A),
      .I(I)
  ) u_target (
      .aclk,
      .aresetn,
      .awid(s_axi_awid),
      .awaddr(s_axi_awaddr),
      .awlen(s_axi_awlen),
      .awsize(s_axi_awsize),
      .awburst(s_axi_awburst),
      .awvalid(s_axi_awvalid),
      .awready(s_axi_awready),
      .wlast(s_axi_wlast),
      .wvalid(s_axi_wvalid),
      .wready(s_axi_wready),
      .bid(s_axi_bid),
      .bvalid(s_axi_bvalid),
      .bready(s_axi_bready),
      .arid(s_axi_arid),
      .araddr(s_axi_araddr),
      .arlen(s_axi_arlen),
      .arsize(s_axi_arsize),
      .arburst(s_axi_arburst),
      .arvalid(s_axi_arvalid),
      .arready(s_axi_arready),
      .rid(s_axi_rid),
      .rlast(s_axi_rlast),
      .rvalid(s_axi_rvalid),
      .rready(s_axi_rready),
      .hold(begins || step != IDLE),
      .write,
      .write_address,
      .read,
      .read_address
  );
  for (genvar n = 0; n < W / 8; n = n + 1) begin : g_mask
    assign mask[8*n+:8] = {8{s_axi_wstrb[n]}};
  end

  logic aes_ready, aes_start, hash_ready, hash_start;
  logic [127:0] aes_block, aes_result, hash_block, hash_result;
  aes256 u_aes (
      .clk(aclk),
      .rst_n(aresetn),
      .expand(step == EXPAND && begins),
      .key({on_top(lines[0]), on_top(lines[1])}),
      .start(aes_start),
      .block(aes_block),
      .ready(aes_ready),
      .result(aes_result)
  );
  ghash u_ghash (
      .clk(aclk),
      .rst_n(aresetn),
      .start(hash_start),
      .block(hash_block),
      .h(h),
      .ready(hash_ready),
      .result(hash_result)
  );
  // The first multiplication of a page begins with 0.
  assign sum = hash_result;
  logic is_first;
  logic [95:0] iv;
  assign iv = 96'(on_top(lines[2]) >> 32);
  logic [127:0] added;
  logic [4:0] bytes;
  assign bytes = left >= 16 ? 5'd16 : 5'(left);
  assign out = (text ^ aes_result) & first_bytes(bytes);
  always_comb begin
    aes_start = aes_ready && (step == MAKE_H || step == MAKE_MASK || step == FETCH);
    aes_block = {iv, counter};
    if (step == MAKE_H) aes_block = '0;
    added = opens ? text & first_bytes(bytes) : out;
    hash_start = 1'b0;
    if (step == ADD_DATA) begin
      added = on_top(lines[8+4'(place[1:0])]) & first_bytes(aad_left >= 16 ? 5'd16 : 5'(aad_left));
      hash_start = hash_ready && aad_left != 0;
    end
    if (step == CRYPT) hash_start = hash_ready && aes_ready;
    if (step == LENGTHS) begin
      added = {53'h0, lines[3][39:32], 3'h0, total, 3'h0};
      hash_start = hash_ready;
    end
    hash_block = added ^ (is_first ? '0 : sum);
  end

  always_ff @(posedge aclk) begin
    if (read) s_axi_rdata <= read_address[12] ? chunk[read_address[11:4]] : lines[read_address[7:4]];
    if (write && write_address[12])
      chunk[write_address[11:4]] <= chunk[write_address[11:4]] & ~mask | s_axi_wdata & mask;
    if (write && !write_address[12])
      lines[write_address[7:4]] <= lines[write_address[7:4]] & ~mask | s_axi_wdata & mask;
    begins <= write && write_address[A-1:4] == (A-4)'(3) && s_axi_wstrb[5];
    if (hash_start) is_first <= 1'b0;
    case (step)
      IDLE:
      if (begins) begin
        place <= '0;
        left <= lines[3][31:0];
        opens <= lines[3][47:40] == 3;
        case (lines[3][47:40])
          8'd1: begin
            step <= EXPAND;
            begins <= 1'b1;
          end
          8'd2, 8'd3: step <= NEXT_BLOCK;
          8'd4: step <= LENGTHS;
          default: ;
        endcase
      end
      EXPAND: if (!begins && aes_ready) step <= MAKE_H;
      MAKE_H: step <= WAIT_H;
      WAIT_H:
      if (aes_ready) begin
        h <= aes_result;
        counter <= 32'd1;
        step <= MAKE_MASK;
      end
      MAKE_MASK: step <= WAIT_MASK;
      WAIT_MASK:
      if (aes_ready) begin
        counter_mask <= aes_result;
        counter <= 32'd2;
        total <= '0;
        is_first <= 1'b1;
        aad_left <= lines[3][39:32];
        step <= ADD_DATA;
      end
      ADD_DATA:
      if (aad_left == 0) step <= IDLE;
      else if (hash_start) begin
        place <= place + 1;
        aad_left <= aad_left >= 16 ? aad_left - 16 : '0;
      end
      NEXT_BLOCK: step <= left == 0 ? IDLE : FETCH;
      FETCH: begin
        text <= on_top(chunk[place]);
        counter <= counter + 1;
        step <= CRYPT;
      end
      CRYPT:
      if (hash_start) begin
        chunk[place] <= on_top(out);
        place <= place + 1;
        left <= left - 32'(bytes);
        total <= total + 61'(bytes);
        step <= NEXT_BLOCK;
      end
      LENGTHS: if (hash_start) step <= LAST;
      LAST:
      if (hash_ready) begin
        lines[5] <= on_top(tag);
        lines[4] <= 128'(tag == on_top(lines[6]));
        step <= IDLE;
      end
      default: step <= IDLE;
    endcase
    if (!aresetn) begin
      step <= IDLE;
      begins <= 1'b0;
    end
  end
  assign tag = sum ^ counter_mask;
endmodule
