// SPDX-License-Identifier: Apache-2.0
// The keys of remote_memory and of what a workload offloads.
#include <gtest/gtest.h>

#include "platform/spec/load.h"
#include "tests/support/same_spec.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::config {
namespace {

const std::string kConfigs = std::string(WAFERTLM_SOURCE_DIR) + "/configs/";

PlatformSpec mesh_with(const std::string& lines, const std::vector<std::string>& overrides = {}) {
  const test::TempFolder folder;
  return load_platform(folder.write("p.yaml", "extends: " + kConfigs +
                                                  "platforms/wafer_mesh_5x4.yaml\nremote_memory:\n" + lines),
                       overrides);
}
const std::string kShared = "  {kind: shared, capacity: 20 TB, bandwidth: 400 GB/s, latency: 2 us}\n";

std::string refusal_of(const std::string& lines, const std::vector<std::string>& overrides = {}) {
  try {
    mesh_with(lines, overrides);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}
::testing::AssertionResult says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos ? ::testing::AssertionSuccess()
                                              : ::testing::AssertionFailure() << text;
}

TEST(RemoteMemoryKeys, ArriveInThePool) {
  const RemoteMemorySpec flat = *mesh_with(kShared).remote_memory;
  const PoolParams params = pool_params(flat, 20);
  EXPECT_EQ(params.kind, PoolKind::shared);
  EXPECT_EQ(params.bytes_per_s, 400'000'000'000U);
  EXPECT_EQ(params.latency_ps, 2'000'000U);
  // 2 us and a request's 163.84 ns, by 163.84 ns, and two more.
  EXPECT_EQ(flat.requests_under_way(), 13U + 3);
  const auto under_way = [](const std::string& latency) {
    return mesh_with(kShared, {"remote_memory.latency=" + latency}).remote_memory->requests_under_way();
  };
  EXPECT_EQ(under_way("0 ps"), 16U) << "at least";
  EXPECT_EQ(under_way("20 us"), 123U + 2) << "20 us and 163.84 ns, by 163.84 ns";
  EXPECT_EQ(under_way("1 ms"), 1024U) << "at most";
  const RemoteMemorySpec staged =
      *mesh_with(
           "  kind: hierarchical\n  capacity: 1 TB\n  npus_per_node: 5\n  request_bytes: 4 KiB\n  stages:\n"
           "    memory: {bandwidth: 100 GB/s, latency: 5 ns}\n    out_switch: {bandwidth: 200 GB/s}\n"
           "    in_switch: {bandwidth: 300 GB/s, fan_in: 4}\n    npu_link: {bandwidth: 400 GB/s}\n")
           .remote_memory;
  const PoolParams stages = pool_params(staged, 20);
  EXPECT_EQ(stages.npus_per_node, 5U);
  EXPECT_EQ(stages.stages->at(0).latency_ps, 5000U);
  EXPECT_EQ(stages.stages->at(2).fan_in, 4U);
  EXPECT_EQ(stages.stages->at(3).bytes_per_s, 400'000'000'000U);
}

TEST(RemoteMemoryKeys, ArriveInTheEngine) {
  const RemoteMemorySpec spec =
      *load_platform(kConfigs + "platforms/mesh_memory_engine.yaml",
                     {"remote_memory.engine.page=16KiB", "remote_memory.engine.cipher=cut_through",
                      "remote_memory.engine.integrity=tree", "remote_memory.engine.tree_arity=16",
                      "remote_memory.engine.tree_cached_levels=2", "remote_memory.engine.hiding=dummy",
                      "remote_memory.engine.dummies=5", "remote_memory.engine.mac_pipeline.clock=300MHz",
                      "remote_memory.engine.network.hops=3", "remote_memory.engine.providers=4",
                      "remote_memory.engine.stripe_pages=8"})
           .remote_memory;
  const RequesterEngineParams params = requester_params(*spec.engine, spec.capacity_bytes / 20);
  EXPECT_EQ(params.page_bytes, 16'384U);
  EXPECT_EQ(params.pages, std::uint64_t{1} << 21);
  EXPECT_EQ(params.cipher_mode, CipherMode::cut_through);
  EXPECT_EQ(params.integrity, Integrity::tree);
  EXPECT_EQ(params.tree_arity, 16U);
  EXPECT_EQ(params.cached_levels, 2U);
  EXPECT_EQ(params.hiding, Hiding::dummy);
  EXPECT_EQ(params.dummies, 5U);
  EXPECT_EQ(params.mac.clock_hz, 300'000'000U);
  EXPECT_EQ(params.providers, 4U);
  EXPECT_EQ(params.stripe_pages, 8U);
  EXPECT_EQ(spec.engine->network.hops, 3U);
  EXPECT_EQ(provider_params(*spec.engine).validate_ps, 40'000U);
}

TEST(RemoteMemoryKeys, ComeBackFromTheResolvedFile) {
  const test::TempFolder folder;
  const PlatformSpec spec = load_platform(kConfigs + "platforms/mesh_memory_engine.yaml");
  EXPECT_TRUE(load_platform(folder.write("again.yaml", resolved_yaml(spec))) == spec);
}

TEST(RemoteMemoryKeys, RefuseWhatDoesNotFitTogether) {
  EXPECT_TRUE(says(refusal_of("  {kind: shared, capacity: 1 TB}\n"), "missing required key 'bandwidth'"));
  EXPECT_TRUE(says(refusal_of("  {kind: hierarchical, capacity: 1 TB, npus_per_node: 5}\n"),
                   "missing required key 'stages'"));
  EXPECT_TRUE(says(refusal_of("  {kind: per_node, capacity: 1 TB, bandwidth: 1 GB/s}\n"),
                   "missing required key 'npus_per_node'"));
  EXPECT_TRUE(says(refusal_of(kShared, {"remote_memory.npus_per_node=4"}),
                   "npus_per_node: has no effect without 'remote_memory.kind: per_node'"));
  EXPECT_TRUE(says(refusal_of("  {kind: per_node, capacity: 1 TB, bandwidth: 1 GB/s, npus_per_node: 3}\n"),
                   "do not divide"));
  EXPECT_TRUE(
      says(refusal_of("  kind: hierarchical\n  capacity: 1 TB\n  npus_per_node: 5\n  engine: {}\n  stages:\n"
                      "    memory: {bandwidth: 1 GB/s}\n    out_switch: {bandwidth: 1 GB/s}\n"
                      "    in_switch: {bandwidth: 1 GB/s}\n    npu_link: {bandwidth: 1 GB/s}\n"),
           "set kind to shared, per_node or per_npu"));
  EXPECT_TRUE(says(refusal_of(kShared, {"remote_memory.service=accesses"}), "must be free"));
  EXPECT_EQ(refusal_of(kShared, {"remote_memory.service=accesses", "remote_memory.local=free"}), "accepted");
  const auto engine = [](const std::string& keys) {
    return refusal_of("  {kind: shared, capacity: 1 TB, bandwidth: 1 GB/s, engine: {" + keys + "}}\n");
  };
  EXPECT_TRUE(says(engine("page: 12 KiB"), "power of two"));
  EXPECT_TRUE(says(engine("cipher: none"), "needs encrypted pages"));
  EXPECT_TRUE(says(engine("cipher: none, integrity: none, hiding: dummy"), "cannot be hidden"));
  EXPECT_TRUE(says(engine("dummies: 7"), "has no effect without 'remote_memory.engine.hiding: dummy'"));
  EXPECT_TRUE(says(engine("tree_arity: 16"), "has no effect without 'remote_memory.engine.integrity: tree'"));
  EXPECT_TRUE(says(engine("placement: blocked"), "nothing to place"));
  EXPECT_TRUE(says(engine("providers: 2, placement: by_npu, stripe_pages: 4"), "stripes are of pages"));
  EXPECT_TRUE(says(engine("hiding: remap_on_evict, spare_pages: 3"), "spare page"));
  EXPECT_EQ(engine("hiding: path_oram"), "accepted");
}

/// GPT-3 over 20 NPUs with everything but activations offloaded.
std::string experiment(const std::string& platform_more, const std::string& workload_more) {
  const test::TempFolder folder;
  const std::string file = folder.write(
      "e.yaml",
      "experiment: e\nplatform:\n  extends: " + kConfigs + "platforms/wafer_mesh_5x4.yaml\n" + platform_more +
          "workload:\n  workload: w\n  model: " + kConfigs +
          "workloads/models/transformer_17b.yaml\n  parallelism: MP(2)-DP(10)\n  samples_per_replica: 1\n"
          "  recompute: full\n  effective_flops: 400 TFLOPS\n" +
          workload_more);
  try {
    load_experiment(file);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OffloadKeys, NeedAPlaceAndMakeRoom) {
  const std::string pool = "  remote_memory: {kind: shared, capacity: 20 TB, bandwidth: 400 GB/s}\n";
  EXPECT_TRUE(says(experiment("", "  offload_optimizer: true\n"), "the platform has none"));
  EXPECT_TRUE(says(experiment(pool, ""), "more than the HBM")) << "17 G × 16 B / 2";
  EXPECT_EQ(experiment(pool, "  offload_optimizer: true\n"), "accepted");
  EXPECT_TRUE(says(experiment("  remote_memory: {kind: shared, capacity: 1 TB, bandwidth: 400 GB/s}\n",
                              "  offload_optimizer: true\n"),
                   "NPU's part of the remote memory is 50.00 GB"));
  EXPECT_TRUE(says(experiment(pool, "  offload_portion: 2 GB\n"),
                   "has no effect without offload_weights, offload_gradients or"));
}

}  // namespace
}  // namespace wafertlm::config
