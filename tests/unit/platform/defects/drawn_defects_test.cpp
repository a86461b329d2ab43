// SPDX-License-Identifier: Apache-2.0
// A platform's drawn defects are those of the maps that `wafertlm yield` writes.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "platform/defects/sampled_wafer.h"
#include "platform/spec/defects_spec.h"
#include "platform/spec/load.h"
#include "platform/text/config_error.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

const std::string kDrawn =
    "extends: " WAFERTLM_SOURCE_DIR
    "/configs/platforms/wafer_mesh_32x32.yaml\n"
    "wafer:\n  width: 20\n  height: 20\n  defects: {drawn: {yield: wafer_20x20, wafer: 3}}\n";

std::set<std::string> lines_of(const config::DefectsSpec& defects) {
  std::set<std::string> lines;
  for (const NpuId npu : defects.npus) lines.insert(fmt::format("npu,{}", index_of(npu)));
  for (const NpuId router : defects.routers) lines.insert(fmt::format("router,{}", index_of(router)));
  for (const config::LinkName& link : defects.links) lines.insert("link," + link.text());
  return lines;
}

TEST(DrawnDefects, AreThoseOfTheWafersMap) {
  const test::TempFolder folder;
  const std::string file = folder.write("p.yaml", kDrawn);
  std::set<std::string> maps;
  for (int wafer = 0; wafer < 20; ++wafer) {
    const config::PlatformSpec spec =
        config::load_platform(file, {fmt::format("wafer.defects.drawn.wafer={}", wafer)});
    const wafer_yield::YieldSpec& yield = spec.wafer.fabric.defects.drawn->yield;
    std::istringstream map(
        wafer_yield::defect_map(wafer_yield::Sampler(yield).wafer(static_cast<std::uint64_t>(wafer))));
    std::set<std::string> expected;
    std::string line;
    for (std::getline(map, line); std::getline(map, line);) expected.insert(line);
    EXPECT_EQ(lines_of(spec.wafer.fabric.defects.complete()), expected) << wafer;
    maps.insert(map.str());
  }
  EXPECT_GT(maps.size(), 10U);
}

TEST(DrawnDefects, AreOfAWaferOfThatSize) {
  const test::TempFolder folder;
  const std::string file = folder.write("p.yaml", kDrawn);
  EXPECT_NE(test::refusal_of<config::ConfigError>([&] {
              config::load_platform(file, {"wafer.width=10"});
            }).find("is of 20 x 20 NPUs, and this wafer has 10 x 20"),
            std::string::npos);
}

}  // namespace
}  // namespace wafertlm
