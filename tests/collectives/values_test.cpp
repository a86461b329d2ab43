// SPDX-License-Identifier: Apache-2.0
// Real values through the simulated fabric: every collective, algorithm and kind of group ends with the right
// values.
#include <gtest/gtest.h>

#include <cstdio>

#include "platform/fabrics/mesh/mesh_kind.h"
#include "tests/collectives/simulated.h"
#include "tests/support/sanitized.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {
namespace {

class SimulatedValues : public testing::TestWithParam<CollectiveType> {};

TEST_P(SimulatedValues, AreRightOnEveryKindOfGroup) {
  const CollectiveType type = GetParam();
  const config::PlatformSpec spec = test::platform({"run.functional=true", "run.checkers=true"});
  const FabricTraits traits = fabric_traits(mesh_params(spec.wafer));
  const Group groups[] = {test::whole_wafer(), test::npus({5, 6, 7, 8, 9}),      test::npus({2, 7, 12, 17}),
                          test::npus({0, 19}), test::npus({17, 3, 8, 0, 11, 6}), test::npus({4})};
  int proven = 0, cases = 0;
  for (const Group& group : groups)
    for (const std::string& algorithm : algorithms_for(type, group, traits))
      for (const std::uint64_t bytes : {0U, 4 * 1001U, 65536U})
        for (const DataType data : kDataTypes) {
          if (test::kSanitized && (bytes == 65536 || data == DataType::int32)) continue;
          if (type == CollectiveType::barrier && bytes != 0) continue;
          const auto root = static_cast<std::uint32_t>(group.size() - 1);
          const auto result = test::outcome(spec, {type, group, bytes, algorithm, 2, root, data});
          EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
          proven += result["proven"].get<bool>() ? 1 : 0;
          ++cases;
        }
  EXPECT_EQ(proven, cases);
  EXPECT_GT(cases, 0);
  std::printf("%s: %d proven\n", to_string(type), proven);
}

INSTANTIATE_TEST_SUITE_P(All, SimulatedValues, testing::ValuesIn(kCollectiveTypes),
                         [](const auto& of) { return std::string(to_string(of.param)); });

}  // namespace
}  // namespace wafertlm
