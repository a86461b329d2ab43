// SPDX-License-Identifier: Apache-2.0
#pragma once
// Packets of a recording (models/rtl/recording.h has the format) for SystemVerilog, by DPI-C:
// wafertlm_rec.svh declares these. C, and C++ where a simulator compiles it as that.

#ifdef __cplusplus
extern "C" {
#endif

/// @return of a recording, for the others; null: stderr says why.
void* wafertlm_rec_open(const char* path);
/// Of its head.
int wafertlm_rec_ports(void* recording);
int wafertlm_rec_flit_bytes(void* recording);
long long wafertlm_rec_clock_hz(void* recording);
/// The next packet that came (kind 0) or left (1); openings of flows and credits are passed over.
/// @return 1: there is one; 0: the end; -1: the line is not understood, which stderr says.
int wafertlm_rec_next(void* recording, int* kind, int* port, int* channel, int* flow, long long* sequence,
                      int* bytes, long long* head_ps, long long* tail_ps);
/// A byte of its values; -1: the run had none.
int wafertlm_rec_byte(void* recording, int number);
void wafertlm_rec_close(void* recording);

#ifdef __cplusplus
}
#endif
