// SPDX-License-Identifier: Apache-2.0
// No deadlock: random traffic at overload with the smallest buffers always drains.
#include <gtest/gtest.h>

#include <cstdio>
#include <deque>
#include <tuple>

#include "platform/spec/load.h"
#include "tests/support/traffic_run.h"

namespace wafertlm {
namespace {

class Drain : public ::testing::TestWithParam<std::tuple<std::uint32_t, InputQueue>> {};

/// One class on all channels, or from four channels on a class of high priority on a half of its own.
std::vector<config::TrafficClassSpec> classes_on(std::uint32_t virtual_channels) {
  if (virtual_channels < 4) return {{"all", VcId{0}, 0, virtual_channels}};
  const std::uint32_t half = virtual_channels / 2;
  return {{"low", VcId{0}, 0, half}, {"high", static_cast<VcId>(half), 1, virtual_channels - half}};
}

TEST_P(Drain, OverloadWithTwoPacketsOfBuffer) {
  const auto [virtual_channels, discipline] = GetParam();
  config::PlatformSpec spec =
      config::load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml");
  spec.wafer.fabric.virtual_channels = virtual_channels;
  spec.wafer.fabric.input_queue = discipline;
  spec.wafer.fabric.classes = classes_on(virtual_channels);
  spec.wafer.fabric.buffer_bytes = 2 * spec.wafer.fabric.wire_packet_bytes();
  spec.run.checkers = true;
  TrafficRunOptions options;
  options.stop_ps = 1'000'000;
  options.hot_percent = 10;
  std::deque<TrafficRun> runs;
  const std::pair<std::uint32_t, std::uint32_t> shapes[] = {{1, 6}, {6, 1}, {2, 2}, {5, 4}, {3, 7}, {8, 8}};
  for (const auto& [width, height] : shapes) {
    spec.wafer.width = width;
    spec.wafer.height = height;
    options.seed = width * 100 + height;
    runs.emplace_back(("mesh_" + std::to_string(width) + "x" + std::to_string(height)).c_str(), spec,
                      options);
  }
  sc_core::sc_start();  // ends when nothing can happen any more
  for (TrafficRun& run : runs) {
    ASSERT_NO_THROW(run.require_rest()) << run.name();
    TimePs last = 0;
    for (const TrafficRun::Delivery& entry : run.log()) last = std::max(last, entry.tail_ps);
    std::printf("%-8s %2u channels, %s: %7llu packets offered in 1 us, all there after %7.2f us\n",
                run.name(), virtual_channels, discipline == InputQueue::fifo ? "fifo      " : "per_output",
                static_cast<unsigned long long>(run.created_packets()), static_cast<double>(last) * 1e-6);
    EXPECT_GT(last, 2 * options.stop_ps);  // it was overload
  }
}
INSTANTIATE_TEST_SUITE_P(Fabrics, Drain,
                         ::testing::Combine(::testing::Values(1U, 2U, 3U, 4U, 8U, 16U),
                                            ::testing::Values(InputQueue::fifo, InputQueue::per_output)),
                         [](const auto& fabric) {
                           return "channels_" + std::to_string(std::get<0>(fabric.param)) +
                                  (std::get<1>(fabric.param) == InputQueue::fifo ? "_fifo" : "_per_output");
                         });

}  // namespace
}  // namespace wafertlm
