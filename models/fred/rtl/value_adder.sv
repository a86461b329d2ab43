// SPDX-License-Identifier: Apache-2.0
// Adds the values of two flits: W/32 INT32, which wrap around, or W/16 BF16.
module value_adder #(
    parameter int W = 128,
    parameter int DATA_TYPE = 2  // 0: INT32, 1: BF16, 2: `bf16` says
) (
    input logic enable,  // else the sum is 0, and nothing toggles
    input logic bf16,
    input logic [W-1:0] a,
    input logic [W-1:0] b,
    output logic [W-1:0] sum
);
  // verilator no_inline_module
`include "mutations.svh"
  always_comb begin
    sum = '0;
    if (enable) begin
      if (DATA_TYPE == 1 || (DATA_TYPE == 2 && bf16))
        for (int i = 0; i < W / 16; i = i + 1)
          sum[16*i+:16] = bf16_pkg::bf16_add(a[16*i+:16], b[16*i+:16], `FRED_MUTATION(8));
      else for (int i = 0; i < W / 32; i = i + 1) sum[32*i+:32] = a[32*i+:32] + b[32*i+:32];
    end
  end

  if (DATA_TYPE != 2) begin : g_one_type
    logic unused;
    assign unused = bf16;
  end
endmodule
