// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/platform_spec.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "models/mesh/mesh_params.h"
#include "platform/describe/document.h"
#include "platform/spec/file_kinds.h"
#include "platform/spec/load.h"
#include "tests/support/same_spec.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::config {
namespace {

const std::string kPresets = std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/";
const std::string kMinimal =
    "platform: small\n"
    "wafer:\n"
    "  width: 3\n"
    "  height: 2\n"
    "  fabric:\n"
    "    link_bandwidth: 100 GB/s\n";

void expect_round_trip(const PlatformSpec& spec) {
  const test::TempFolder folder;
  const PlatformSpec again = load_platform(folder.write("resolved.yaml", resolved_yaml(spec)));
  EXPECT_TRUE(spec == again) << resolved_yaml(spec) << resolved_yaml(again);
}

TEST(PlatformSpec, ThreeValuesAreEnough) {
  const test::TempFolder folder;
  const PlatformSpec spec = load_platform(folder.write("p.yaml", kMinimal));
  EXPECT_EQ(spec.name, "small");
  EXPECT_EQ(spec.wafer.npu_count(), 6U);
  const FabricSpec& fabric = spec.wafer.fabric;
  const auto& mesh = fabric.as<MeshParams>();
  EXPECT_EQ(mesh.link_bytes_per_s, 100'000'000'000U);
  EXPECT_EQ(fabric.link_latency_ps, 20'000U);
  EXPECT_EQ(fabric.credit_delay_ps, 20'000U);
  EXPECT_EQ(mesh.injection_bytes_per_s, 3'000'000'000'000U);
  EXPECT_EQ(fabric.format.packet_bytes, 4096U);
  EXPECT_EQ(fabric.virtual_channels, 4U);
  EXPECT_EQ(fabric.input_queue, InputQueue::per_output);
  EXPECT_EQ(fabric.buffer_bytes, 0U);  // auto
  EXPECT_EQ(spec.wafer.io.controllers.placement, IoPlacement::none);
  EXPECT_EQ(spec.wafer.io.bandwidth_bytes_per_s, 128'000'000'000U);
  ASSERT_EQ(fabric.classes.size(), 8U);
  EXPECT_EQ(fabric.classes[3].name, "dp");
  EXPECT_EQ(fabric.classes[3].vc, VcId{2});
  EXPECT_EQ(fabric.classes[3].priority, 1U);
  EXPECT_EQ(spec.npu.peak_operations_per_s, 1e15);
  EXPECT_EQ(spec.npu.hbm.requests.request_bytes, 65'536U);
  EXPECT_EQ(spec.collectives.algorithm, "auto");
  EXPECT_EQ(spec.run.watchdog_ps, 3600 * kPsPerSecond);
  EXPECT_FALSE(spec.run.checkers);
  expect_round_trip(spec);
}

TEST(PlatformSpec, EveryKeyIsReadAndSurvivesTheRoundTrip) {
  const test::TempFolder folder;
  const std::string text = R"(
platform: "a name: with # signs"
wafer:
  width: 7
  height: 3
  fabric:
    link_bandwidth: {value: 1.5 TB/s, provenance: "quoted \"P\", page 3"}
    link_latency: 3 ns
    router_pipeline: 1.25 ns
    credit_delay: 7 ns
    injection_bandwidth: 2 TB/s
    injection_latency: 1 ps
    ejection_bandwidth: 1 TB/s
    ejection_latency: 2 ps
    packet_bytes: 2 KiB
    header_bytes: 6 B
    flit_bytes: 512 B
    virtual_channels: 3
    input_queue: fifo
    input_buffer: 24 KiB
    energy_per_bit: 0.1 pJ/bit
    classes:
      - {name: mp, vc: {value: 0, provenance: A}, priority: 2, vcs: 2}
      - {name: dp, vc: 2, priority: 1}
    failed_links: [[0, 1], [8, 1]]
    failed_routers: [20]
  io:
    controllers: [{npu: 0, side: west}, {npu: {value: 20, provenance: A}, side: east}]
    bandwidth: 64 GB/s
    latency: 15 ns
    chunk: 24 KiB
npu:
  peak: 312.5 TFLOPS
  hbm: {read_bandwidth: 1 TB/s, write_bandwidth: 2 TB/s, latency: 50 ns, capacity: 40 GiB, request_bytes: 4 KiB}
collectives: {algorithm: bidirectional_ring, chunks: 16}
run: {checkers: true, functional: true, seed: 18446744073709551615, watchdog: 1 ms}
)";
  const PlatformSpec spec = load_platform(folder.write("p.yaml", text));
  const FabricSpec& fabric = spec.wafer.fabric;
  const auto& mesh = fabric.as<MeshParams>();
  EXPECT_EQ(spec.name, "a name: with # signs");
  EXPECT_EQ(mesh.link_bytes_per_s, 1'500'000'000'000U);
  EXPECT_EQ(fabric.link_latency_ps, 3000U);
  EXPECT_EQ(mesh.router_pipeline_ps, 1250U);
  EXPECT_EQ(fabric.credit_delay_ps, 7000U);
  EXPECT_EQ(mesh.injection_bytes_per_s, 2'000'000'000'000U);
  EXPECT_EQ(mesh.injection_latency_ps, 1U);
  EXPECT_EQ(mesh.ejection_bytes_per_s, 1'000'000'000'000U);
  EXPECT_EQ(mesh.ejection_latency_ps, 2U);
  EXPECT_EQ(fabric.format.packet_bytes, 2048U);
  EXPECT_EQ(fabric.wire_packet_bytes(), 2560U);  // 2048 + 6 in flits of 512
  EXPECT_EQ(fabric.virtual_channels, 3U);
  EXPECT_EQ(fabric.input_queue, InputQueue::fifo);
  EXPECT_EQ(fabric.buffer_bytes, 24'576U);
  EXPECT_EQ(fabric.energy_per_bit_j, 1e-13);
  ASSERT_EQ(fabric.classes.size(), 2U);
  EXPECT_EQ(fabric.classes[0].vcs, 2U);
  EXPECT_EQ(fabric.classes[1].vcs, 1U);
  ASSERT_EQ(mesh.failed_links.size(), 2U);
  EXPECT_EQ(mesh.failed_links[1].first, NpuId{8});
  ASSERT_EQ(mesh.failed_routers.size(), 1U);
  EXPECT_EQ(mesh.failed_routers[0], NpuId{20});
  ASSERT_EQ(spec.wafer.io.controllers.placement, IoPlacement::listed);
  ASSERT_EQ(spec.wafer.io.controllers.list.size(), 2U);
  EXPECT_EQ(spec.wafer.io.controllers.list[1].npu, NpuId{20});
  EXPECT_EQ(spec.wafer.io.controllers.list[1].side, Side::east);
  EXPECT_EQ(spec.wafer.io.bandwidth_bytes_per_s, 64'000'000'000U);
  EXPECT_EQ(spec.wafer.io.latency_ps, 15'000U);
  EXPECT_EQ(spec.wafer.io.chunk_bytes, 24'576U);
  EXPECT_EQ(spec.npu.peak_operations_per_s, 312.5e12);
  EXPECT_EQ(spec.npu.hbm.timing.read_bandwidth_bytes_per_s, 1'000'000'000'000U);
  EXPECT_EQ(spec.npu.hbm.timing.write_bandwidth_bytes_per_s, 2'000'000'000'000U);
  EXPECT_EQ(spec.npu.hbm.timing.latency_ps, 50'000U);
  EXPECT_EQ(spec.npu.hbm.capacity_bytes, 40ULL << 30);
  EXPECT_EQ(spec.npu.hbm.requests.request_bytes, 4096U);
  EXPECT_EQ(spec.collectives.algorithm, "bidirectional_ring");
  EXPECT_EQ(spec.collectives.chunks, 16U);
  EXPECT_TRUE(spec.run.checkers);
  EXPECT_TRUE(spec.run.functional);
  EXPECT_EQ(spec.run.seed, ~std::uint64_t{0});
  EXPECT_EQ(spec.run.watchdog_ps, 1'000'000'000U);
  EXPECT_EQ(spec.origins.find("wafer.fabric.link_bandwidth")->provenance, "quoted \"P\", page 3");
  EXPECT_EQ(spec.origins.find("wafer.fabric.classes[0].vc")->provenance, "A");
  expect_round_trip(spec);
}

TEST(PlatformSpec, ADifferentValueOrProvenanceIsNotEqual) {
  const test::TempFolder folder;
  const std::string file = folder.write("p.yaml", kMinimal);
  const PlatformSpec spec = load_platform(file);
  EXPECT_TRUE(spec == load_platform(file));
  EXPECT_FALSE(spec == load_platform(file, {"run.seed=2"}));
  EXPECT_FALSE(spec == load_platform(file, {"wafer.width={value: 3, provenance: A}"}));
}

TEST(PlatformSpec, TheResolvedTextSaysWhereAValueCameFrom) {
  const test::TempFolder folder;
  const std::string file = folder.write("p.yaml", kMinimal);
  const std::string text = resolved_yaml(load_platform(file, {"wafer.height=5"}));
  EXPECT_NE(text.find("  width: 3  # p.yaml:3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  height: 5  # --set\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    link_latency: 20 ns  # default\n"), std::string::npos) << text;
}

TEST(PlatformSpec, AnchorsAndAliasesWork) {
  const test::TempFolder folder;
  const std::string text =
      kMinimal + "    injection_bandwidth: &port 1 TB/s\n    ejection_bandwidth: *port\n";
  EXPECT_EQ(load_platform(folder.write("p.yaml", text)).wafer.fabric.as<MeshParams>().ejection_bytes_per_s,
            1'000'000'000'000U);
}

TEST(PlatformSpec, ABufferOfExactlyTwoPacketsIsEnough) {
  const test::TempFolder folder;
  const std::string text = kMinimal + "    header_bytes: 6 B\n    input_buffer: 8204 B\n";
  EXPECT_EQ(load_platform(folder.write("p.yaml", text)).wafer.fabric.buffer_bytes, 8204U);
}

TEST(PlatformSpec, ALatencyOfZeroIsFineWhenTheRouterTakesTime) {
  const test::TempFolder folder;
  const std::string text = kMinimal + "    link_latency: 0 ns\n    router_pipeline: 1 ps\n";
  EXPECT_EQ(load_platform(folder.write("p.yaml", text)).wafer.fabric.as<MeshParams>().router_pipeline_ps, 1U);
}

TEST(PlatformSpec, EndpointDataTypeAndFault) {
  const std::string preset = kPresets + "wafer_mesh_5x4.yaml";
  const PlatformSpec plain = load_platform(preset);
  EXPECT_EQ(plain.npu.endpoint.step_cost_ps, 0U);
  EXPECT_EQ(plain.npu.endpoint.receive_cost_ps, 0U);
  EXPECT_EQ(plain.npu.endpoint.memory, EndpointMemory::free);
  EXPECT_EQ(plain.run.data_type, DataType::int32);
  EXPECT_FALSE(plain.run.fault);
  EXPECT_EQ(resolved_yaml(plain).find("\n  fault:"), std::string::npos);

  const PlatformSpec spec = load_platform(
      preset, {"npu.endpoint={step_cost: 1.5 us, receive_cost: 7 ps, memory: hbm}", "run.functional=true",
               "run.data_type=bf16", "run.fault={kind: flip_bit, from: 3, to: 4, packet: 12, bit: 77}"});
  EXPECT_EQ(spec.npu.endpoint.step_cost_ps, 1'500'000U);
  EXPECT_EQ(spec.npu.endpoint.receive_cost_ps, 7U);
  EXPECT_EQ(spec.npu.endpoint.memory, EndpointMemory::hbm);
  EXPECT_EQ(spec.run.data_type, DataType::bf16);
  ASSERT_TRUE(spec.run.fault);
  EXPECT_EQ(spec.run.fault->kind, FaultParams::Kind::flip_bit);
  EXPECT_EQ(spec.run.fault->from, NpuId{3});
  EXPECT_EQ(spec.run.fault->to, NpuId{4});
  EXPECT_EQ(spec.run.fault->packet, 12U);
  EXPECT_EQ(spec.run.fault->bit, 77U);
  expect_round_trip(spec);
}

TEST(Presets, AllLoadAndSurviveTheRoundTrip) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kPresets)) {
    EXPECT_EQ(kind_of(load_document(entry.path().string()), spec_file_kinds()).key(), "platform");
    expect_round_trip(load_platform(entry.path().string()));
    ++files;
  }
  EXPECT_GE(files, 3);
}

TEST(Presets, The5x4MeshIsTheBaselineOfThePaper) {
  const PlatformSpec spec = load_platform(kPresets + "wafer_mesh_5x4.yaml");
  EXPECT_EQ(spec.wafer.npu_count(), 20U);
  // 3 TB/s over four links; bisection of the 5x4 mesh, cut across the rows: 5 links of 750 GB/s.
  EXPECT_EQ(5 * spec.wafer.fabric.as<MeshParams>().link_bytes_per_s, 3'750'000'000'000U);
  EXPECT_EQ(spec.wafer.fabric.format.header_bytes, 0U);
  EXPECT_EQ(spec.wafer.fabric.format.flit_bytes, 0U);
}

// FRED paper: 18 controllers of 128 GB/s.
TEST(Presets, The5x4MeshHasTheIoOfThePaper) {
  const IoSpec io = load_platform(kPresets + "wafer_mesh_5x4.yaml").wafer.io;
  EXPECT_EQ(io.controllers.placement, IoPlacement::perimeter);
  EXPECT_EQ(18 * io.bandwidth_bytes_per_s, 2'304'000'000'000U);
}

TEST(Presets, EveryValueOfTheHardwareHasAProvenance) {
  const PlatformSpec spec = load_platform(kPresets + "wafer_mesh_5x4.yaml");
  const std::string text = resolved_yaml(spec);
  for (const char* line : {"width",
                           "height",
                           "link_bandwidth",
                           "link_latency",
                           "router_pipeline",
                           "credit_delay",
                           "injection_bandwidth",
                           "injection_latency",
                           "ejection_bandwidth",
                           "ejection_latency",
                           "packet_bytes",
                           "header_bytes",
                           "flit_bytes",
                           "virtual_channels",
                           "input_queue",
                           "input_buffer",
                           "energy_per_bit",
                           "controllers",
                           "bandwidth",
                           "chunk",
                           "peak",
                           "read_bandwidth",
                           "write_bandwidth",
                           "latency",
                           "capacity",
                           "request_bytes",
                           "step_cost",
                           "receive_cost",
                           "memory"}) {
    const std::size_t at = text.find(" " + std::string(line) + ": {value: ");
    ASSERT_NE(at, std::string::npos) << line;
    const std::size_t mark = text.find("provenance: \"", at);
    ASSERT_LT(mark, text.find('\n', at)) << line;
    EXPECT_NE(std::string("PRDA").find(text[mark + 13]), std::string::npos) << line;
  }
}

TEST(Presets, LargerWafersChangeTheSizeOnly) {
  const PlatformSpec base = load_platform(kPresets + "wafer_mesh_5x4.yaml");
  for (const auto& [file, size] :
       {std::pair{"wafer_mesh_8x8.yaml", 8U}, std::pair{"wafer_mesh_32x32.yaml", 32U}}) {
    PlatformSpec spec = load_platform(kPresets + file);
    EXPECT_EQ(spec.wafer.width, size);
    EXPECT_EQ(spec.wafer.height, size);
    spec.name = base.name;
    spec.wafer.width = base.wafer.width;
    spec.wafer.height = base.wafer.height;
    spec.origins = base.origins;
    EXPECT_TRUE(spec == base) << file;
  }
}

}  // namespace
}  // namespace wafertlm::config
