// SPDX-License-Identifier: Apache-2.0
// The slave's side of AXI4 for a block with a plain port to its registers and buffers: bursts of all kinds, one write and one
// read at a time, answered in their order. `read_data` is that of the address in the cycle before. With `hold` no beat goes on.
module axi4_target #(
    parameter int W = 128,
    parameter int A = 16,
    parameter int I = 4
) (
    input logic aclk,
    input logic aresetn,
    input logic [I-1:0] awid,
    input logic [A-1:0] awaddr,
    input logic [7:0] awlen,
    input logic [2:0] awsize,
    input logic [1:0] awburst,
    input logic awvalid,
    output logic awready,
    input logic wlast,
    input logic wvalid,
    output logic wready,
    output logic [I-1:0] bid,
    output logic bvalid,
    input logic bready,
    input logic [I-1:0] arid,
    input logic [A-1:0] araddr,
    input logic [7:0] arlen,
    input logic [2:0] arsize,
    input logic [1:0] arburst,
    input logic arvalid,
    output logic arready,
    output logic [I-1:0] rid,
    output logic rlast,
    output logic rvalid,
    input logic rready,
    input logic hold,
    output logic write,  // WDATA with WSTRB goes to write_address
    output logic [A-1:0] write_address,
    output logic read,
    output logic [A-1:0] read_address
);
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

  logic w_open, r_open, r_wait;
  logic [7:0] w_len, r_len, r_left;
  logic [2:0] w_size, r_size;
  logic [1:0] w_kind, r_kind;
  assign awready = !w_open && !bvalid;
  assign wready = w_open && !hold;
  assign write = wvalid && wready;
  assign arready = !r_open && !hold;
  // A beat's data is asked for, comes a cycle later, and is on the bus.
  assign read = r_open && !r_wait && !rvalid && !hold;
  always_ff @(posedge aclk) begin
    if (awvalid && awready) begin
      w_open <= 1'b1;
      {bid, write_address, w_len, w_size, w_kind} <= {awid, awaddr, awlen, awsize, awburst};
    end
    if (write) begin
      write_address <= next(write_address, w_len, w_size, w_kind);
      if (wlast) begin
        w_open <= 1'b0;
        bvalid <= 1'b1;
      end
    end
    if (bvalid && bready) bvalid <= 1'b0;
    if (arvalid && arready) begin
      r_open <= 1'b1;
      r_left <= arlen;
      {rid, read_address, r_len, r_size, r_kind} <= {arid, araddr, arlen, arsize, arburst};
    end
    r_wait <= read;
    if (r_wait) begin
      rvalid <= 1'b1;
      rlast <= r_left == 0;
    end
    if (rvalid && rready) begin
      rvalid <= 1'b0;
      read_address <= next(read_address, r_len, r_size, r_kind);
      r_left <= r_left - 1;
      if (rlast) r_open <= 1'b0;
    end
    if (!aresetn) begin
      w_open <= 1'b0;
      r_open <= 1'b0;
      r_wait <= 1'b0;
      bvalid <= 1'b0;
      rvalid <= 1'b0;
    end
  end
  logic unused;
  assign unused = W == 0;
endmodule
