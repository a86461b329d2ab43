// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/dram_timing.h"

#include <array>
#include <stdexcept>

namespace wafertlm {
namespace {

DramTiming hbm3() {
  DramTiming t;
  t.name = "hbm3";
  t.provenance = "community values of HBM3-6400 (as in a public Ramulator 2 preset); no data sheet";
  t.clock_fs = 625'000;
  t.cl = 20, t.cwl = 10, t.rcd_read = 31, t.rcd_write = 15;
  t.rp = 26, t.ras = 45, t.rc = 72, t.wr = 33, t.rtp = 9;
  t.ccd_short = 2, t.ccd_long = 4, t.rrd_short = 4, t.rrd_long = 5, t.faw = 24;
  t.wtr_short = 7, t.wtr_long = 10, t.rtw = 20, t.rfc_bank = 320, t.refi = 6240;
  t.stack_bytes = std::uint64_t{16} << 30;
  return t;
}

DramTiming hbm2() {
  DramTiming t;
  t.name = "hbm2";
  t.provenance =
      "CL, RCD (read), RP, RAS, REFI, FAW of a public HBM2 8 Gb preset; the rest assumed in the "
      "proportions of HBM3, also a bank's refresh (0.6 of the preset's 260 ns for all banks)";
  t.clock_fs = 1'000'000;
  t.cl = 14, t.cwl = 4, t.rcd_read = 14, t.rcd_write = 10;
  t.rp = 14, t.ras = 34, t.rc = 48, t.wr = 16, t.rtp = 5;
  t.ccd_short = 2, t.ccd_long = 4, t.rrd_short = 4, t.rrd_long = 6, t.faw = 30;
  t.wtr_short = 4, t.wtr_long = 8, t.rtw = 15, t.rfc_bank = 160, t.refi = 3900;
  t.pseudo_channels = 16;
  t.stack_bytes = std::uint64_t{8} << 30;
  return t;
}

/// The same cells behind a faster interface: analogue times stay, in more cycles.
DramTiming faster(DramTiming t, const char* name, std::uint64_t clock_fs, std::uint64_t stack_bytes) {
  const auto same_time = [&](std::uint32_t& cycles) {
    cycles = static_cast<std::uint32_t>((cycles * t.clock_fs + clock_fs - 1) / clock_fs);
  };
  for (std::uint32_t* cycles :
       {&t.cl, &t.cwl, &t.rcd_read, &t.rcd_write, &t.rp, &t.ras, &t.rc, &t.wr, &t.rtp, &t.rrd_short,
        &t.rrd_long, &t.faw, &t.wtr_short, &t.wtr_long, &t.rtw, &t.rfc_bank})
    same_time(*cycles);
  t.refi = static_cast<std::uint32_t>(t.refi * t.clock_fs / clock_fs);
  t.provenance = "the cells of " + t.name + " (same times) behind a faster interface: assumed";
  t.name = name;
  t.clock_fs = clock_fs;
  t.stack_bytes = stack_bytes;
  return t;
}

const std::array<DramTiming, 4>& presets() {
  static const std::array<DramTiming, 4> all = {
      hbm2(), faster(hbm2(), "hbm2e", 625'000, std::uint64_t{16} << 30), hbm3(),
      faster(hbm3(), "hbm3e", 416'667, std::uint64_t{24} << 30)};
  return all;
}

}  // namespace

std::uint64_t DramTiming::channel_bytes_per_s() const {
  return static_cast<std::uint64_t>(Uint128{access_bytes} * kPsPerSecond * 1000 / (burst * clock_fs));
}

const DramTiming& dram_timing(std::string_view generation) {
  for (const DramTiming& preset : presets())
    if (preset.name == generation) return preset;
  throw std::invalid_argument("there is no memory generation '" + std::string(generation) +
                              "'; there are hbm2, hbm2e, hbm3 and hbm3e");
}

std::vector<std::string> dram_generations() {
  std::vector<std::string> names;
  for (const DramTiming& preset : presets()) names.push_back(preset.name);
  return names;
}

}  // namespace wafertlm
