// SPDX-License-Identifier: Apache-2.0
// How busy links and memories were, by bucket.
#include "platform/report/usage.h"
#include "platform/machine/machine.h"
#include "platform/machine/machine_links.h"

#include <gtest/gtest.h>

#include "platform/spec/load.h"

namespace wafertlm {
namespace {

TEST(Usage, FractionsOfBucketsAndTheLastOneEndsWithTheRun) {
  Machine machine(config::load_platform(WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml", {}));
  Usage usage(machine);
  const std::vector<MachineLink> links = machine_links(machine);
  const Packet packet;
  const std::size_t busy = 3;
  usage.sent(links[busy].from, links[busy].output, packet, 250, 750);
  usage.sent(links[busy].from, links[busy].output, packet, 1000, 2000);
  usage.sent(links[busy].from, links[busy].output, packet, 2000, 2100);
  EXPECT_EQ(usage.links().width_ps(), 1000U);
  // The run ends at 2400: the last bucket is 400 ps long.
  const auto json = usage.links_json(2400);
  EXPECT_EQ(json["bucket_ps"], 1000);
  ASSERT_EQ(json["busy"].size(), links.size());
  for (std::size_t link = 0; link < links.size(); ++link)
    EXPECT_EQ(json["busy"][link],
              link == busy ? nlohmann::ordered_json({5000, 10'000, 2500}) : nlohmann::ordered_json::array())
        << links[link].name;
  EXPECT_EQ(usage.links_json(3000)["busy"][busy], nlohmann::ordered_json({5000, 10'000, 1000}));
  // Behind the end a link may still be busy, or not.
  usage.sent(links[busy].from, links[busy].output, packet, 3000, 3001);
  usage.sent(links[busy].from, links[busy].output, packet, 5000, 5000);
  EXPECT_EQ(usage.links_json(2400)["busy"][busy], nlohmann::ordered_json({5000, 10'000, 2500, 10'000, 0, 0}));
}

TEST(Usage, BytesOfMemoriesByDirection) {
  Machine machine(config::load_platform(WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml", {}));
  Usage usage(machine);
  usage.moved(2, true, 300, 0, 1000);
  usage.moved(2, false, 500, 1500, 2500);
  usage.moved(19, true, 7, 0, 500);
  const auto json = usage.memories_json();
  ASSERT_EQ(json["read"].size(), 20U);
  ASSERT_EQ(json["written"].size(), 20U);
  EXPECT_EQ(json["written"][2], nlohmann::ordered_json({300}));
  EXPECT_EQ(json["read"][2], nlohmann::ordered_json({0, 250, 250}));
  EXPECT_EQ(json["written"][19], nlohmann::ordered_json({7}));
  EXPECT_EQ(json["read"][19], nlohmann::ordered_json::array());
}

}  // namespace
}  // namespace wafertlm
