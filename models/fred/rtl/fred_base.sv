// SPDX-License-Identifier: Apache-2.0
// FRED_m(2), one RD-µswitch, or FRED_m(3), three of them: on the ports (0,1), (1,2), (0,1). How they are set follows from
// the flows at the ports, anew for each cycle, so that unicasts never block each other in here.
module fred_base #(
    parameter int P = 3,
    parameter int W = 128,
    parameter int SIDE = 70,
    parameter int ID = 3,
    parameter int TAG = 9,
    parameter int DATA_TYPE = 2
) (
    input logic clk,
    input logic rst_n,
    input logic [P*TAG-1:0] in_tag,  // {active, BF16, which flow, way}
    input logic [P*TAG-1:0] out_tag,
    input logic [SIDE+W-1:0] in_flit[P],
    output logic [SIDE+W-1:0] out_flit[P]
);
  // verilator no_inline_module
  localparam int PATH = TAG - ID - 2;
  logic [P*P-1:0] wanted;  // for every output the inputs of its flow
  logic unused;

  always_comb begin
    wanted = '0;
    for (int o = 0; o < P; o = o + 1)
      for (int i = 0; i < P; i = i + 1)
        wanted[o*P+i] = in_tag[i*TAG+TAG-1] && out_tag[o*TAG+TAG-1] &&
                        in_tag[i*TAG+PATH+:ID] == out_tag[o*TAG+PATH+:ID];
  end
  assign unused = &{1'b0, in_tag, out_tag};

  if (P == 2) begin : g_two
    rd_microswitch #(
        .W(W),
        .SIDE(SIDE),
        .DATA_TYPE(DATA_TYPE)
    ) rd (
        .clk(clk),
        .rst_n(rst_n),
        .takes(wanted),
        .bf16(in_tag[TAG-2]),
        .in_0(in_flit[0]),
        .in_1(in_flit[1]),
        .out_0(out_flit[0]),
        .out_1(out_flit[1])
    );
  end else begin : g_three
    import fred_pkg::*;
    localparam base_settings_t SETTINGS = base_settings();
    logic [11:0] setting;
    logic [7:0] setting_1;
    logic [3:0] setting_2;
    logic [1:0] bf16_1;
    logic bf16_2;
    logic possible;
    localparam int F = SIDE + W;
    logic [F-1:0] port_2, rd0_0, rd0_1, rd1_0, rd1_1, from_rd0;

    assign {possible, setting} = SETTINGS[32'(wanted)*SETTING+:SETTING];
    // A sum in the second adds port 2, one in the third what the first sends down.
    always_ff @(posedge clk) begin
      bf16_1 <= {setting[0] ? in_tag[TAG-2] : in_tag[2*TAG-2], in_tag[3*TAG-2]};
      bf16_2 <= bf16_1[1];
      setting_1 <= rst_n ? setting[11:4] : '0;
      setting_2 <= rst_n ? setting_1[7:4] : '0;
    end
    delay_line #(
        .WIDTH(F)
    ) wait_2 (
        .clk(clk),
        .rst_n(rst_n),
        .in(in_flit[2]),
        .out(port_2)
    );
    delay_line #(
        .WIDTH(F)
    ) wait_rd0 (
        .clk(clk),
        .rst_n(rst_n),
        .in(rd0_0),
        .out(from_rd0)
    );
    delay_line #(
        .WIDTH(F)
    ) wait_rd1 (
        .clk(clk),
        .rst_n(rst_n),
        .in(rd1_1),
        .out(out_flit[2])
    );
    rd_microswitch #(
        .W(W),
        .SIDE(SIDE),
        .DATA_TYPE(DATA_TYPE)
    ) rd0 (
        .clk(clk),
        .rst_n(rst_n),
        .takes(setting[3:0]),
        .bf16(in_tag[TAG-2]),
        .in_0(in_flit[0]),
        .in_1(in_flit[1]),
        .out_0(rd0_0),
        .out_1(rd0_1)
    );
    rd_microswitch #(
        .W(W),
        .SIDE(SIDE),
        .DATA_TYPE(DATA_TYPE)
    ) rd1 (
        .clk(clk),
        .rst_n(rst_n),
        .takes(setting_1[3:0]),
        .bf16(bf16_1[0]),
        .in_0(rd0_1),
        .in_1(port_2),
        .out_0(rd1_0),
        .out_1(rd1_1)
    );
    rd_microswitch #(
        .W(W),
        .SIDE(SIDE),
        .DATA_TYPE(DATA_TYPE)
    ) rd2 (
        .clk(clk),
        .rst_n(rst_n),
        .takes(setting_2),
        .bf16(bf16_2),
        .in_0(from_rd0),
        .in_1(rd1_0),
        .out_0(out_flit[0]),
        .out_1(out_flit[1])
    );

`ifndef SYNTHESIS
    can_carry : assert property (@(posedge clk) disable iff (!rst_n) possible);
`endif
  end
endmodule
