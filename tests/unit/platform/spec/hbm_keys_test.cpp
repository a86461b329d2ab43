// SPDX-License-Identifier: Apache-2.0
// Keys of the HBM: times of the DRAM, its refresh.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "models/hbm/dram/dram_timing.h"
#include "platform/spec/load.h"
#include "platform/spec/npu_spec.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::config {
namespace {

const std::string kConfigFiles = WAFERTLM_SOURCE_DIR "/configs/";

PlatformSpec with(const std::vector<std::string>& changes) {
  return load_platform(kConfigFiles + "platforms/wafer_mesh_5x4_hbm3.yaml", changes);
}

bool same(const DramTiming& a, const DramTiming& b) {
  bool equal = a.clock_fs == b.clock_fs;
  for (const DramTimingKey& key : dram_timing_keys()) {
    EXPECT_EQ(a.*key.cycles, b.*key.cycles) << key.name;
    equal &= a.*key.cycles == b.*key.cycles;
  }
  return equal;
}

TEST(HbmTimings, FilesHoldThoseOfTheGenerations) {
  for (const std::string& generation : wafertlm::dram_generations()) {
    SCOPED_TRACE(generation);
    const PlatformSpec spec =
        with({"npu.hbm.generation=" + generation, "npu.hbm.capacity=1GiB",
              "npu.hbm.efficiency=" + kConfigFiles + "memory/" + generation + ".yaml",
              "npu.hbm.timings=" + kConfigFiles + "memory/timings/" + generation + ".yaml"});
    ASSERT_TRUE(spec.npu.hbm.timings.has_value());
    for (const auto& time : spec.npu.hbm.timings->times_ps) EXPECT_TRUE(time.has_value());
    EXPECT_TRUE(same(dram_timing(spec.npu.hbm), wafertlm::dram_timing(generation)));
  }
}

TEST(HbmTimings, EachKeyChangesItsTimeAndIsRoundedUpToCycles) {
  const DramTiming preset = wafertlm::dram_timing("hbm3");
  for (const DramTimingKey& key : dram_timing_keys()) {
    const std::uint32_t cycles = preset.*key.cycles;
    // Less by a part of a cycle is as much; a cycle less is less.
    const auto given = [&](std::uint64_t ps) {
      return dram_timing(
                 with({std::string("npu.hbm.timings={") + key.name + ": " + std::to_string(ps) + " ps}"})
                     .npu.hbm).*
             key.cycles;
    };
    EXPECT_EQ(given(cycles * 625 - 1), cycles) << key.name;
    EXPECT_EQ(given(cycles * 625), cycles) << key.name;
  }
  EXPECT_EQ(dram_timing(with({"npu.hbm.timings={t_ck: 1250 ps}"}).npu.hbm).cl, 10U);
  EXPECT_EQ(with({"npu.hbm.timings={t_ck: 1250 ps}"}).npu.hbm.bytes_per_s(false), 4 * 409'600'000'000U);
}

TEST(HbmTimings, WhatCannotBeIsRefused) {
  EXPECT_THROW(with({"npu.hbm.timings={t_ccd_s: 50 ns}"}), ConfigError);
  EXPECT_THROW(with({"npu.hbm.timings={t_rfc: 3 us}"}), ConfigError);
  EXPECT_THROW(with({"npu.hbm.timings={t_fow: 3 ns}"}), ConfigError);
  EXPECT_THROW(with({"npu.hbm.timings={t_faw: 3 GB}"}), ConfigError);
  EXPECT_THROW(with({"npu.hbm.level=flow", "npu.hbm.refresh=all_bank"}), ConfigError);
  EXPECT_THROW(with({"npu.hbm.refresh=none"}), ConfigError);
}

TEST(HbmRefresh, IsAChoice) {
  EXPECT_EQ(with({}).npu.hbm.queue.refresh, DramRefresh::per_bank);
  const PlatformSpec all = with({"npu.hbm.refresh=all_bank", "npu.hbm.write_age=2us"});
  EXPECT_EQ(hbm_params(all.npu.hbm).dram->queue.refresh, DramRefresh::all_bank);
  EXPECT_EQ(hbm_params(all.npu.hbm).dram->queue.write_age_ps, 2'000'000U);
}

}  // namespace
}  // namespace wafertlm::config
