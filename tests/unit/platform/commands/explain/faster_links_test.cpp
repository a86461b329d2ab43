// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/faster_links.h"

#include <gtest/gtest.h>

#include "platform/describe/document.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

FasterLinks faster(const std::string& yaml, std::uint64_t factor) {
  const test::TempFolder folder;
  return faster_links(config::load_document(folder.write("e.yaml", yaml)), factor);
}

using Settings = std::vector<std::string>;

TEST(FasterLinks, AreAllBandwidthsOfTheFabric) {
  const FasterLinks made = faster(
      "experiment: e\nplatform:\n  wafer:\n    io: {bandwidth: 1 GB/s}\n    fabric:\n      kind: "
      "dimensional\n"
      "      link_latency: 20 ns\n      dimensions:\n        - {size: 4, bandwidth: 50 GB/s}\n"
      "        - {size: 2, bandwidth: {value: 25 GB/s, origin: given}}\n      injection_bandwidth: 3 TB/s\n",
      3);
  EXPECT_EQ(made.settings, (Settings{"wafer.fabric.dimensions[0].bandwidth=150 GB/s",
                                     "wafer.fabric.dimensions[1].bandwidth=75 GB/s",
                                     "wafer.fabric.injection_bandwidth=9 TB/s"}));
  config::Node experiment = made.experiment;
  config::Node* fabric = experiment.find("platform")->find("wafer")->find("fabric");
  EXPECT_EQ(fabric->find("dimensions")->items[0].find("bandwidth")->text, "150 GB/s");
  EXPECT_EQ(fabric->find("link_latency")->text, "20 ns");
  EXPECT_EQ(experiment.find("platform")->find("wafer")->find("io")->find("bandwidth")->text, "1 GB/s");
}

// 9 PB/s is the most that a configuration may say.
TEST(FasterLinks, StopAtTheMostThatCanBeSaid) {
  const std::string begin = "platform: {wafer: {fabric: {link_bandwidth: ";
  EXPECT_EQ(faster(begin + "90 TB/s}}}", 100).settings, Settings{"wafer.fabric.link_bandwidth=9 PB/s"});
  EXPECT_EQ(faster(begin + "91 TB/s}}}", 100).settings, Settings{"wafer.fabric.link_bandwidth=9 PB/s"});
  EXPECT_EQ(faster(begin + "89 TB/s}}}", 100).settings, Settings{"wafer.fabric.link_bandwidth=8.9 PB/s"});
  EXPECT_EQ(faster(begin + "0 B/s}}}", 100).settings, Settings{});
  EXPECT_EQ(faster("platform: {wafer: {}}", 2).settings, Settings{});
}

}  // namespace
}  // namespace wafertlm
