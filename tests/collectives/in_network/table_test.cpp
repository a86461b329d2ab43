// SPDX-License-Identifier: Apache-2.0
// Columns B and D of the FRED paper's bandwidth table (fig. 9; fred.md, section 5): time of all groups of a
// class at once, against the 5x4 mesh in the same test.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/collectives/simulated.h"

namespace wafertlm {
namespace {

double time_ps(const std::string& name, const std::string& type, const std::string& parallel_class) {
  const config::PlatformSpec spec =
      config::load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/" + name + ".yaml");
  const auto result = test::outcome_of_class(spec, type, parallel_class, 64 << 20);
  EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
  return result["time"].get<double>();
}

struct Row {
  const char *type, *parallel_class;
  double b, d;  // time against the mesh
};

class InNetworkTable : public testing::TestWithParam<Row> {};

TEST_P(InNetworkTable, HasThePapersTimes) {
  const Row& row = GetParam();
  const double mesh = time_ps("wafer_mesh_5x4", row.type, row.parallel_class);
  const double b = time_ps("fred_b", row.type, row.parallel_class) / mesh;
  const double d = time_ps("fred_d", row.type, row.parallel_class) / mesh;
  std::printf("%s %s: B %.4f (%.3f), D %.4f (%.3f)\n", row.type, row.parallel_class, b, row.b, d, row.d);
  const double tolerance = 0.03;
  EXPECT_NEAR(b, row.b, tolerance * row.b);
  EXPECT_NEAR(d, row.d, tolerance * row.d);
}
INSTANTIATE_TEST_SUITE_P(Paper, InNetworkTable,
                         testing::Values(Row{"all_reduce", "", 0.526, 0.263},
                                         Row{"all_reduce", "mp", 0.25, 0.25},
                                         Row{"all_reduce", "dp", 1.25, 0.156},
                                         Row{"broadcast", "pp", 0.25, 0.25}));

}  // namespace
}  // namespace wafertlm
