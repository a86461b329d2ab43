// SPDX-License-Identifier: Apache-2.0
// wafertlm_rec.h has their meaning.
import "DPI-C" function chandle wafertlm_rec_open(input string path);
import "DPI-C" function int wafertlm_rec_ports(input chandle recording);
import "DPI-C" function int wafertlm_rec_flit_bytes(input chandle recording);
import "DPI-C" function longint wafertlm_rec_clock_hz(input chandle recording);
import "DPI-C" function int wafertlm_rec_next(
    input chandle recording,
    output int kind,
    output int port,
    output int channel,
    output int flow,
    output longint sequence_number,
    output int bytes,
    output longint head_ps,
    output longint tail_ps
);
import "DPI-C" function int wafertlm_rec_byte(input chandle recording, input int number);
import "DPI-C" function void wafertlm_rec_close(input chandle recording);
