// SPDX-License-Identifier: Apache-2.0
// Sizes of a FRED_m(P), as FredNetwork in ../routing has them.
package fred_pkg;

  // Levels of middle switches above the base cases of 2 and 3 ports.
  function automatic int levels(input int ports);
    int left;
    left = ports;
    levels = 0;
    while (left > 3) begin
      left = (left + 1) / 2;
      levels = levels + 1;
    end
  endfunction

  // Ports of a switch `level` levels down.
  function automatic int ports_at(input int ports, input int level);
    ports_at = ports;
    for (int i = 0; i < level; i = i + 1) ports_at = (ports_at + 1) / 2;
  endfunction

  // µswitches on the way from an input to an output; each is a pipeline stage.
  function automatic int stages(input int ports);
    stages = 2 * levels(ports) + (ports_at(ports, levels(ports)) == 2 ? 1 : 3);
  endfunction

  // Bits of a number below `count`, at least one.
  function automatic int bits(input int count);
    bits = count < 3 ? 1 : $clog2(count);
  endfunction

  // The settings of the three RD-µswitches of a FRED_m(3): [1:0] and [3:2] are what the outputs of the first take,
  // and so on. Bit 12: there is one. Index: the inputs wanted at output 0 in [2:0], at 1 in [5:3], at 2 in [8:6].
  // The first setting in ascending order is taken, as BaseSwitch does.
  localparam int SETTING = 13;
  typedef logic [512*SETTING-1:0] base_settings_t;

  function automatic logic may_take(input int code);
    may_take = code / 4 == code % 4 || ((code / 4) & (code % 4)) == 0;
  endfunction

  // The ports that arrive on a wire that takes `takes` of the wires a and b; 8: never, or one twice.
  function automatic int arriving(input int takes, input int a, input int b);
    arriving = ((takes & 1) != 0 ? a : 0) | ((takes & 2) != 0 ? b : 0);
    if ((takes & 1) != 0 && a == 0) arriving = 8;
    if ((takes & 2) != 0 && b == 0) arriving = 8;
    if (takes == 3 && (a & b) != 0) arriving = 8;
  endfunction

  function automatic base_settings_t base_settings();
    int a0, a1, b0, b1, c0, c1, place;
    base_settings = '0;
    for (int first = 0; first < 16; first = first + 1)
      for (int second = 0; second < 16; second = second + 1)
        for (int third = 0; third < 16; third = third + 1)
          if (may_take(first) && may_take(second) && may_take(third)) begin
            a0 = arriving(first / 4, 1, 2);
            a1 = arriving(first % 4, 1, 2);
            b0 = arriving(second / 4, a1, 4);
            b1 = arriving(second % 4, a1, 4);
            c0 = arriving(third / 4, a0, b0);
            c1 = arriving(third % 4, a0, b0);
            if (a0 < 8 && a1 < 8 && b0 < 8 && b1 < 8 && c0 < 8 && c1 < 8) begin
              place = c0 | c1 << 3 | b1 << 6;
              if (!base_settings[place*SETTING+12])
                base_settings[place*SETTING+:SETTING] =
                    {1'b1, 2'(third % 4), 2'(third / 4), 2'(second % 4), 2'(second / 4), 2'(first % 4), 2'(first / 4)};
            end
          end
  endfunction

endpackage
