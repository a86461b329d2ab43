// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/dram_timing.h"

#include <algorithm>
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
  t.wtr_short = 7, t.wtr_long = 10, t.rtw = 20, t.rfc_bank = 320, t.rfc_all = 560, t.refi = 6240;
  t.stack_bytes = std::uint64_t{16} << 30;  // 8 Gb a channel: 350 ns for all its banks
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
  t.wtr_short = 4, t.wtr_long = 8, t.rtw = 15, t.rfc_bank = 160, t.rfc_all = 260, t.refi = 3900;
  t.pseudo_channels = 16;
  t.stack_bytes = std::uint64_t{8} << 30;
  return t;
}

DramTiming faster(const DramTiming& cells, const char* name, std::uint64_t clock_fs,
                  std::uint64_t stack_bytes) {
  DramTiming t = cells.with_clock(clock_fs);
  t.provenance = "the cells of " + t.name + " (same times) behind a faster interface: assumed";
  t.name = name;
  t.stack_bytes = stack_bytes;
  return t;
}

DramTiming hbm3e() {
  DramTiming t = faster(hbm3(), "hbm3e", 416'667, std::uint64_t{24} << 30);
  t.rfc_all = 1080;  // 12 Gb a channel: 450 ns
  return t;
}

const std::array<DramTiming, 4>& presets() {
  static const std::array<DramTiming, 4> all = {
      hbm2(), faster(hbm2(), "hbm2e", 625'000, std::uint64_t{16} << 30), hbm3(), hbm3e()};
  return all;
}

}  // namespace

DramTiming DramTiming::with_clock(std::uint64_t fs) const {
  DramTiming t = *this;
  for (const DramTimingKey& key : dram_timing_keys())
    if (key.cycles != &DramTiming::ccd_short && key.cycles != &DramTiming::ccd_long)
      t.*key.cycles = static_cast<std::uint32_t>((this->*key.cycles * clock_fs + fs - 1) / fs);
  t.refi = static_cast<std::uint32_t>(refi * clock_fs / fs);
  t.clock_fs = fs;
  return t;
}

void DramTiming::check() const {
  const auto not_above = [this](std::uint32_t DramTiming::*less, const char* a,
                                std::uint32_t DramTiming::*more, const char* b) {
    if (this->*less > this->*more)
      throw std::invalid_argument(std::string(a) + " is longer than " + b + "; expected at most as long");
  };
  not_above(&DramTiming::ccd_short, "tCCD_S", &DramTiming::ccd_long, "tCCD_L");
  not_above(&DramTiming::rrd_short, "tRRD_S", &DramTiming::rrd_long, "tRRD_L");
  not_above(&DramTiming::wtr_short, "tWTR_S", &DramTiming::wtr_long, "tWTR_L");
  not_above(&DramTiming::ras, "tRAS", &DramTiming::rc, "tRC");
  not_above(&DramTiming::burst, "the data of an access", &DramTiming::ccd_short, "tCCD_S");
  if (refi != 0 && 2 * (std::max(rfc_bank, rfc_all) + rp) > refi)
    throw std::invalid_argument(
        "a refresh takes more than half of the time between refreshes; expected tREFI of at least twice tRFC "
        "and tRP");
}

const std::array<DramTimingKey, 20>& dram_timing_keys() {
  using T = DramTiming;
  static const std::array<DramTimingKey, 20> keys = {{
      {"t_cl", &T::cl, "read command to its data (CL)"},
      {"t_cwl", &T::cwl, "write command to its data (CWL)"},
      {"t_rcd_read", &T::rcd_read, "activate to read"},
      {"t_rcd_write", &T::rcd_write, "activate to write"},
      {"t_rp", &T::rp, "precharge to activate"},
      {"t_ras", &T::ras, "activate to precharge"},
      {"t_rc", &T::rc, "activate to activate of a bank"},
      {"t_wr", &T::wr, "end of write data to precharge"},
      {"t_rtp", &T::rtp, "read to precharge"},
      {"t_ccd_s", &T::ccd_short, "column to column, other bank group"},
      {"t_ccd_l", &T::ccd_long, "column to column, same bank group"},
      {"t_rrd_s", &T::rrd_short, "activate to activate, other bank group"},
      {"t_rrd_l", &T::rrd_long, "activate to activate, same bank group"},
      {"t_faw", &T::faw, "window of four activates"},
      {"t_wtr_s", &T::wtr_short, "end of write data to read, other bank group"},
      {"t_wtr_l", &T::wtr_long, "end of write data to read, same bank group"},
      {"t_rtw", &T::rtw, "read to write"},
      {"t_rfc_bank", &T::rfc_bank, "refresh of a bank"},
      {"t_rfc", &T::rfc_all, "refresh of all banks of a pseudo-channel"},
      {"t_refi", &T::refi, "average time between a bank's refreshes; 0 ns: none"},
  }};
  return keys;
}

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
