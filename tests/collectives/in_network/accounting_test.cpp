// SPDX-License-Identifier: Apache-2.0
// Bytes per flow and switch, as links saw them.
#include <gtest/gtest.h>

#include <memory>

#include "tests/support/flow_cases.h"

namespace wafertlm::test {
namespace {

TEST(InNetworkAccounting, EveryOutputCarriesWhatEachInputBrought) {
  FlowRig rig({}, flow_classes());
  const std::uint64_t bytes = 1'000'000;
  ProvenCollective reduce(rig, in_network(CollectiveType::reduce, first_npus(20), bytes, rig), 1, ClassId{2});
  ProvenCollective multicast(rig, in_network(CollectiveType::broadcast, first_npus(20), bytes, rig), 2,
                             ClassId{0});
  reduce.enter_all();
  multicast.enter_all();
  rig.run();
  const FlowKey sum{1, 0}, copy{2, 0};
  const auto carried = [&](std::size_t at, std::uint32_t port, const FlowKey& key) {
    const auto all = rig.carried(at, static_cast<PortId>(port));
    const auto found = all.find(key);
    return found == all.end() ? std::uint64_t{0} : found->second;
  };
  std::uint64_t delivered_sum = 0, delivered_copy = 0;
  for (std::uint32_t l1 = 0; l1 < 5; ++l1) {
    EXPECT_EQ(carried(l1, 4, sum), l1 == 0 ? 0 : bytes);         // up: four inputs became one
    EXPECT_EQ(carried(rig.l2(), l1, sum), l1 == 0 ? bytes : 0);  // L1 0 adds its own to what comes down
    EXPECT_EQ(carried(l1, 4, copy), l1 == 0 ? bytes : 0);
    EXPECT_EQ(carried(rig.l2(), l1, copy), l1 == 0 ? 0 : bytes);
    for (std::uint32_t port = 0; port < 4; ++port) {
      delivered_sum += carried(l1, port, sum);
      delivered_copy += carried(l1, port, copy);
    }
  }
  EXPECT_EQ(delivered_sum, bytes);        // injected 20 · bytes, 1 of 20 receives
  EXPECT_EQ(delivered_copy, 19 * bytes);  // injected bytes, 19 receive
  EXPECT_EQ(reduce.wrong() + multicast.wrong(), "");
}

}  // namespace
}  // namespace wafertlm::test
