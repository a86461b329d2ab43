// SPDX-License-Identifier: Apache-2.0
// Which keys can be changed, and by how much.
#include "platform/commands/explain/settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "platform/describe/document.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

Setting setting_with(const std::string& value, Setting::Kind kind, const config::Dimension* dimension = {}) {
  Setting setting{"a.b", value, kind, dimension};
  return setting;
}

TEST(Settings, AreScaledInTheirUnits) {
  const auto quantity = [](const char* value, const config::Dimension& dimension, double factor) {
    return scaled(setting_with(value, Setting::Kind::quantity, &dimension), factor);
  };
  EXPECT_EQ(quantity("750 GB/s", config::bandwidth_dimension(), 2), "1.5 TB/s");
  EXPECT_EQ(quantity("20 ns", config::time_dimension(), 0.9), "18 ns");
  EXPECT_EQ(quantity("1 ps", config::time_dimension(), 1.1), "2 ps");
  EXPECT_EQ(quantity("1 ps", config::time_dimension(), 0.9), "0 ps");
  EXPECT_EQ(quantity("4 KiB", config::size_dimension(), 0.5), "2 KiB");
  EXPECT_EQ(quantity("400 TFLOPS", config::compute_rate_dimension(), 1.1), "440 TFLOPS");
  EXPECT_EQ(quantity("0 ps", config::time_dimension(), 2), std::nullopt);
  EXPECT_EQ(quantity("auto", config::size_dimension(), 2), std::nullopt);
  const auto integer = [](const char* value, double factor) {
    return scaled(setting_with(value, Setting::Kind::integer), factor);
  };
  EXPECT_EQ(integer("100", 1.1), "110");
  EXPECT_EQ(integer("4", 1.1), "5");
  EXPECT_EQ(integer("4", 0.9), "3");
  EXPECT_EQ(integer("1", 0.9), "0");
  EXPECT_EQ(integer("0", 1.1), std::nullopt);
  EXPECT_EQ(scaled(setting_with("0.5", Setting::Kind::number), 0.5), "0.25");
}

TEST(Settings, RatesGrowTimesShrinkAmountsDoEither) {
  const auto factors = [](const config::Dimension& dimension) {
    return promising_factors(setting_with("", Setting::Kind::quantity, &dimension));
  };
  EXPECT_EQ(factors(config::bandwidth_dimension()), std::vector<double>{2});
  EXPECT_EQ(factors(config::compute_rate_dimension()), std::vector<double>{2});
  EXPECT_EQ(factors(config::frequency_dimension()), std::vector<double>{2});
  EXPECT_EQ(factors(config::time_dimension()), std::vector<double>{0.5});
  EXPECT_EQ(factors(config::size_dimension()), (std::vector<double>{2, 0.5}));
  EXPECT_EQ(promising_factors(setting_with("3", Setting::Kind::integer)), (std::vector<double>{2, 0.5}));
}

TEST(Settings, AreNumbersQuantitiesAndWordsOfSeveral) {
  const test::TempFolder folder;
  const std::vector<Setting> all = settings_of(config::load_document(folder.write(
      "e.yaml",
      "experiment: 7\nplatform:\n  wafer:\n    width: {value: 5, provenance: \"P: 20 NPUs\"}\n    fabric:\n"
      "      link_bandwidth: 750 GB/s\n      input_buffer: auto\n      input_queue: fifo\n"
      "      classes:\n        provenance: \"P\"\n        value:\n          - {name: mp, vc: 0, priority: "
      "3}\n"
      "  npu: {hbm: {level: flow, write_age: 1 us, outstanding: 16}, injection: {order: packet}}\n"
      "  collectives: {algorithm: ring, by_type: {all_reduce: auto}}\n  run: {seed: 1, data_type: int32}\n"
      "workload:\n  layers: resnet50\n  overlap: true\n  effective_rate: 400 TFLOPS\nbarrier: false\n")));
  const auto find = [&](const std::string& key) {
    return std::find_if(all.begin(), all.end(), [&](const Setting& each) { return each.key == key; });
  };
  const auto width = find("wafer.width"), rate = find("workload.effective_rate");
  ASSERT_TRUE(width != all.end() && rate != all.end());
  EXPECT_EQ(width->kind, Setting::Kind::integer);
  EXPECT_EQ(width->value, "5");
  EXPECT_TRUE(width->of_platform);
  EXPECT_TRUE(rate->of_platform);  // how fast an NPU computes
  EXPECT_EQ(rate->dimension, &config::compute_rate_dimension());
  EXPECT_EQ(find("wafer.fabric.link_bandwidth")->dimension, &config::bandwidth_dimension());
  EXPECT_EQ(find("wafer.fabric.classes[0].priority")->value, "3");
  EXPECT_EQ(find("wafer.fabric.input_queue")->choices, std::vector<std::string>{"per_output"});
  EXPECT_EQ(find("workload.overlap")->choices, std::vector<std::string>{"false"});
  EXPECT_TRUE(find("run.seed")->is_of_simulation());
  for (const char* none : {"experiment", "wafer.fabric.input_buffer", "wafer.fabric.classes[0].name"})
    EXPECT_EQ(find(none), all.end()) << none;
  EXPECT_TRUE(find("npu.hbm.outstanding") != all.end());
  EXPECT_EQ(find("run.data_type"), all.end()) << "without functional mode it has no effect";
  const auto is_choice = [&](const char* key) {
    return find(key) != all.end() && is_design_choice(*find(key));
  };
  EXPECT_TRUE(is_choice("collectives.algorithm") && is_choice("wafer.fabric.input_queue") &&
              is_choice("npu.injection.order") && is_choice("workload.overlap"));
  EXPECT_FALSE(is_choice("collectives.by_type.all_reduce") || is_choice("npu.hbm.level") ||
               is_choice("wafer.width"));
}

}  // namespace
}  // namespace wafertlm
