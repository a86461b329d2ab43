// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "models/mesh/mesh_params.h"
#include "platform/describe/document.h"
#include "platform/spec/file_kinds.h"
#include "platform/spec/load.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::config {
namespace {

const std::string kBase =
    "platform: base\n"
    "wafer:\n"
    "  width: 3\n"
    "  height: 2\n"
    "  fabric:\n"
    "    link_bandwidth: {value: 100 GB/s, provenance: P}\n"
    "    failed_routers: [0, 1]\n";

TEST(Extends, MapsAreMergedAndListsReplaced) {
  const test::TempFolder folder;
  folder.write("base.yaml", kBase);
  const PlatformSpec spec =
      load_platform(folder.write("x.yaml",
                                 "extends: base.yaml\nplatform: derived\nwafer:\n  fabric: {link_latency: 1 "
                                 "ns, failed_routers: [2]}\n"));
  EXPECT_EQ(spec.name, "derived");
  EXPECT_EQ(spec.wafer.width, 3U);
  EXPECT_EQ(spec.wafer.fabric.as<MeshParams>().link_bytes_per_s, 100'000'000'000U);
  EXPECT_EQ(spec.wafer.fabric.link_latency_ps, 1000U);
  EXPECT_EQ(spec.wafer.fabric.as<MeshParams>().failed_routers, std::vector<NpuId>{NpuId{2}});
}

TEST(Extends, AChangedValueDoesNotKeepTheProvenanceOfTheOldOne) {
  const test::TempFolder folder;
  folder.write("base.yaml", kBase);
  for (const char* value : {"1 TB/s", "{value: 1 TB/s}"}) {
    const std::string text =
        std::string("extends: base.yaml\nwafer: {fabric: {link_bandwidth: ") + value + "}}\n";
    const PlatformSpec spec = load_platform(folder.write("x.yaml", text));
    EXPECT_EQ(spec.wafer.fabric.as<MeshParams>().link_bytes_per_s, 1'000'000'000'000U);
    EXPECT_EQ(spec.origins.find("wafer.fabric.link_bandwidth")->provenance, "");
  }
}

TEST(Extends, GoesThroughSeveralFilesAndFolders) {
  const test::TempFolder folder;
  folder.write("lib/base.yaml", kBase);
  folder.write("lib/middle.yaml", "extends: base.yaml\nwafer: {width: 5}\n");
  const std::string file = folder.write("own/x.yaml", "extends: ../lib/middle.yaml\nwafer: {height: 7}\n");
  const PlatformSpec spec = load_platform(file);
  EXPECT_EQ(spec.wafer.npu_count(), 35U);
  EXPECT_EQ(spec.origins.find("wafer.width")->place.text(), folder.path() + "/lib/middle.yaml:2:16");
  EXPECT_EQ(kind_of(load_document(file), spec_file_kinds()).key(), "platform");
}

TEST(Extends, ALongCycleIsFound) {
  const test::TempFolder folder;
  folder.write("b.yaml", "extends: c.yaml\n");
  folder.write("c.yaml", "extends: a.yaml\n");
  try {
    load_platform(folder.write("a.yaml", "extends: b.yaml\n"));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("c.yaml:1:10: 'extends' goes in a circle"), std::string::npos)
        << error.what();
  }
}

TEST(Set, ReplacesOneValueInAnyYamlForm) {
  const test::TempFolder folder;
  const std::string file = folder.write("x.yaml", kBase);
  const PlatformSpec spec = load_platform(
      file, {"wafer.fabric.link_bandwidth=1.5TB/s", "npu.hbm.latency=5 ns", "run.checkers=true",
             "wafer.fabric.failed_routers=[5]", "collectives={chunks: 4}", "run.seed=1", "run.seed=2"});
  EXPECT_EQ(spec.wafer.fabric.as<MeshParams>().link_bytes_per_s, 1'500'000'000'000U);
  EXPECT_EQ(spec.npu.hbm.timing.latency_ps, 5000U);
  EXPECT_TRUE(spec.run.checkers);
  EXPECT_EQ(spec.wafer.fabric.as<MeshParams>().failed_routers, std::vector<NpuId>{NpuId{5}});
  EXPECT_EQ(spec.collectives.chunks, 4U);
  EXPECT_EQ(spec.run.seed, 2U);
  EXPECT_EQ(spec.origins.find("npu.hbm.latency")->place.text(), "--set npu.hbm.latency");
}

TEST(Set, MendsAMissingKey) {
  const test::TempFolder folder;
  const std::string file = folder.write("x.yaml", "platform: x\nwafer: {width: 2, height: 2}\n");
  EXPECT_EQ(load_platform(file, {"wafer.fabric.link_bandwidth=1 GB/s"}).wafer.npu_count(), 4U);
}

}  // namespace
}  // namespace wafertlm::config
