// SPDX-License-Identifier: Apache-2.0
// BF16 arithmetic, rounded to the nearest, ties to even; subnormal numbers count. The same as tlm/data_type, which adds in
// binary32 and rounds twice: 24 bits are more than 2 · 8 + 2, so that rounding twice is rounding once.
package bf16_pkg;

  // `away`: a test's mutation, ties away from zero.
  function automatic logic [15:0] bf16_add(input logic [15:0] a, input logic [15:0] b, input logic away);
    // verilator no_inline_task
    logic [15:0] more, less;
    logic [7:0] exponent, distance;
    logic [19:0] x, y, sum;  // carry, 8 bits, guard bits, sticky
    logic round_up;
    more = a[14:0] >= b[14:0] ? a : b;
    less = a[14:0] >= b[14:0] ? b : a;
    if (a[14:0] > 15'h7F80) return a | 16'h0040;
    if (b[14:0] > 15'h7F80) return b | 16'h0040;
    if (more[14:7] == 8'hFF) return less[14:7] == 8'hFF && more[15] != less[15] ? 16'hFFC0 : more;
    exponent = more[14:7] == 0 ? 8'd1 : more[14:7];
    distance = exponent - (less[14:7] == 0 ? 8'd1 : less[14:7]);
    x = {1'b0, more[14:7] != 0, more[6:0], 11'b0};
    y = {1'b0, less[14:7] != 0, less[6:0], 11'b0};
    if (distance > 11)
      y = {19'b0, y != 0};
    else
      y = y >> distance;  // 11 guard bits: nothing is lost up to here
    sum = more[15] == less[15] ? x + y : x - y;
    if (sum == 0) return {a[15] & b[15], 15'b0};
    if (sum[19]) begin
      sum = {1'b0, sum[19:2], sum[1] | sum[0]};
      exponent = exponent + 1;
    end
    while (!sum[18] && exponent > 1) begin
      sum = sum << 1;
      exponent = exponent - 1;
    end
    round_up = sum[10] && (away || sum[9:0] != 0 || sum[11]);
    sum = {1'b0, sum[18:11], 11'b0} + {8'b0, round_up, 11'b0};
    if (sum[19]) begin
      sum = sum >> 1;
      exponent = exponent + 1;
    end
    if (exponent == 8'hFF) return {more[15], 15'h7F80};
    // A subnormal number has the exponent field 0; rounding may have made it a normal one.
    return {more[15], sum[18] ? exponent : 8'b0, sum[17:11]};
  endfunction

endpackage
