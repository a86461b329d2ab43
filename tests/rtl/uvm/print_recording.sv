// SPDX-License-Identifier: Apache-2.0
// Prints the packets of +recording=FILE.
module print_recording;
`include "wafertlm_rec.svh"
  string path;
  chandle recording;
  int kind, port, channel, flow, bytes;
  longint number, head_ps, tail_ps;
  initial begin
    if ($value$plusargs("recording=%s", path) == 0) $fatal(1, "+recording=FILE");
    recording = wafertlm_rec_open(path);
    if (recording == null) $fatal(1, "no recording");
    $display("%0d ports, %0d B, %0d Hz", wafertlm_rec_ports(recording), wafertlm_rec_flit_bytes(recording), wafertlm_rec_clock_hz(recording));
    while (wafertlm_rec_next(recording, kind, port, channel, flow, number, bytes, head_ps, tail_ps) == 1) begin
      $write("%0d %0d %0d %0d %0d %0d %0d %0d ", kind, port, channel, flow, number, bytes, head_ps, tail_ps);
      for (int i = 0; i < bytes && wafertlm_rec_byte(recording, i) >= 0; i++) $write("%02x", 8'(wafertlm_rec_byte(recording, i)));
      $write("\n");
    end
    wafertlm_rec_close(recording);
    $finish;
  end
endmodule
