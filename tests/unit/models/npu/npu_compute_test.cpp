// SPDX-License-Identifier: Apache-2.0
// A matrix product as an operation over the socket of an NPU whose platform has a systolic array.
#include <gtest/gtest.h>

#include "platform/machine/machine.h"
#include "platform/spec/load.h"
#include "tests/support/program_run.h"
#include "tlm/operation/operation_port.h"

namespace wafertlm {
namespace {

struct Case {
  const char* name;
  std::uint64_t size;   // of the product and
  std::uint32_t array;  // of the array, each way
  const char* dataflow;
  std::uint64_t cycles;  // by hand, see systolic_array_test.cpp
};

class NpuProduct : public ::testing::TestWithParam<Case> {};

TEST_P(NpuProduct, TakesTheCyclesOfTheArray) {
  const Case& c = GetParam();
  const std::string size = std::to_string(c.array);
  Machine machine(config::load_platform(WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml",
                                        {"run.checkers=true", "npu.compute.model=systolic",
                                         "npu.compute.systolic={rows: " + size + ", columns: " + size +
                                             ", clock: 1 GHz, dataflow: " + c.dataflow + "}"}));
  Operation operation;
  operation.operations = 1;
  operation.products = {{c.size, c.size, c.size, 1}};
  EXPECT_EQ(test::run_operation(machine, NpuId{7}, operation), c.cycles * 1000);
}

INSTANTIATE_TEST_SUITE_P(Dataflows, NpuProduct,
                         ::testing::Values(Case{"small_os", 512, 128, "output_stationary", 12'256},
                                           Case{"small_ws", 512, 128, "weight_stationary", 14'304},
                                           Case{"small_is", 512, 128, "input_stationary", 14'304},
                                           Case{"large_os", 2048, 256, "output_stationary", 163'712},
                                           Case{"large_ws", 2048, 256, "weight_stationary", 180'096},
                                           Case{"large_is", 2048, 256, "input_stationary", 180'096}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace wafertlm
