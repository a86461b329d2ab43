// SPDX-License-Identifier: Apache-2.0
// Every pair of NPUs of the 5x4 wafer, messages of 1 B to 1 MiB over an idle path, to the picosecond.
#include <gtest/gtest.h>

#include <cstdio>
#include <deque>
#include <ostream>

#include "platform/fabrics/mesh/mesh_kind.h"
#include "platform/spec/load.h"
#include "tests/support/idle_paths.h"
#include "tests/support/message_end.h"

namespace wafertlm {
namespace {

std::string json(const MeshParams& mesh, std::uint64_t bytes, std::uint32_t from, std::uint32_t to) {
  const auto link = [](std::uint64_t bytes_per_s, TimePs latency_ps) {
    return "[" + std::to_string(bytes_per_s) + ", " + std::to_string(latency_ps) + "]";
  };
  return "{\"bytes\": " + std::to_string(bytes) + ", \"format\": [" +
         std::to_string(mesh.format.packet_bytes) + ", " + std::to_string(mesh.format.header_bytes) + ", " +
         std::to_string(mesh.format.flit_bytes) + "], \"mesh\": {\"width\": " + std::to_string(mesh.width) +
         ", \"link\": " + link(mesh.link_bytes_per_s, mesh.link_latency_ps) +
         ", \"injection\": " + link(mesh.injection_bytes_per_s, mesh.injection_latency_ps) +
         ", \"ejection\": " + link(mesh.ejection_bytes_per_s, mesh.ejection_latency_ps) +
         ", \"pipeline_ps\": " + std::to_string(mesh.router_pipeline_ps) +
         "}, \"from\": " + std::to_string(from) + ", \"to\": " + std::to_string(to) + "}";
}

struct Variant {
  const char* name;
  std::vector<std::string> overrides;

  friend void PrintTo(const Variant& setting, std::ostream* out) { *out << setting.name; }
};

class MeshPairs : public ::testing::TestWithParam<Variant> {};

TEST_P(MeshPairs, AreExactOnTheIdleWafer) {
  config::PlatformSpec spec = config::load_platform(
      std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/wafer_mesh_5x4.yaml", GetParam().overrides);
  spec.run.checkers = true;
  Wafer wafer(spec);
  std::deque<MessageEnd> ends;
  for (std::uint32_t n = 0; n < wafer.npus(); ++n)
    ends.emplace_back(("end_" + std::to_string(n)).c_str(), static_cast<NpuId>(n), wafer);

  struct Case {
    std::uint64_t bytes;
    std::uint32_t from, to;
    TimePs start_ps;
  };
  const std::uint64_t sizes[] = {1,    2,    3,      7,      64,      511,       1000,    4095,
                                 4096, 4097, 12'288, 65'537, 100'003, 1'000'000, 1U << 20};
  std::vector<Case> cases;
  std::vector<std::string> texts;
  TimePs start = 0;
  for (const std::uint64_t bytes : sizes)
    for (std::uint32_t from = 0; from < wafer.npus(); ++from)
      for (std::uint32_t to = 0; to < wafer.npus(); ++to) {
        ends[from].send(static_cast<NpuId>(to), bytes, cases.size(), start);
        texts.push_back(json(mesh_params(wafer.spec().wafer), bytes, from, to));
        cases.push_back({bytes, from, to, start});
        // Long after the message is there; an awkward number, so that starts differ in their last digits.
        start += 1'000'003 + 3 * transfer_time_ps(bytes + 64, 100'000'000'000);
      }
  sc_core::sc_start();
  wafer.require_rest();

  const std::vector<TimePs> expected = test::expected_idle_times(texts);
  std::vector<TimePs> measured(cases.size(), 0);
  for (std::uint32_t n = 0; n < wafer.npus(); ++n) {
    EXPECT_TRUE(ends[n].at_rest());
    for (const MessageEnd::Arrival& arrival : ends[n].arrivals()) {
      EXPECT_EQ(cases[arrival.number].to, n);
      measured[arrival.number] = arrival.tail_ps - cases[arrival.number].start_ps;
    }
  }
  std::size_t exact = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(measured[i], expected[i]) << texts[i];
    exact += measured[i] == expected[i];
  }
  std::printf(
      "%s: %zu of %zu messages exact to the picosecond (%u NPUs, %zu sizes); 0 to 19: 1 B %llu ps, "
      "1 MiB %llu ps\n",
      GetParam().name, exact, cases.size(), wafer.npus(), std::size(sizes),
      static_cast<unsigned long long>(measured[19]),
      static_cast<unsigned long long>(measured[(std::size(sizes) - 1) * 400 + 19]));
  EXPECT_EQ(exact, cases.size());
}
INSTANTIATE_TEST_SUITE_P(
    Platforms, MeshPairs,
    ::testing::Values(Variant{"preset", {}},
                      Variant{"headers_and_pipeline",
                              {"wafer.fabric.header_bytes=6 B", "wafer.fabric.flit_bytes=32 B",
                               "wafer.fabric.router_pipeline=1234 ps", "wafer.fabric.packet_bytes=1000 B",
                               "wafer.fabric.injection_latency=77 ps", "wafer.fabric.ejection_latency=5 ns",
                               "wafer.fabric.input_queue=fifo"}},
                      Variant{"almost_equal_speeds",
                              {"wafer.fabric.injection_bandwidth=750000000001 B/s",
                               "wafer.fabric.ejection_bandwidth=749999999999 B/s"}},
                      Variant{"slow_ejection",
                              {"wafer.fabric.ejection_bandwidth=333333333333 B/s",
                               "wafer.fabric.link_bandwidth=1000000000007 B/s"}},
                      // Without stages of heads alone, in which flits behind a slower link catch up.
                      Variant{"wormhole",
                              {"wafer.fabric.switching=wormhole", "wafer.fabric.head_pipeline=0 ns",
                               "wafer.fabric.flit_bytes=1000 B", "wafer.fabric.header_bytes=6 B",
                               "wafer.fabric.router_pipeline=1234 ps"}}),
    [](const auto& variant) { return std::string(variant.param.name); });

}  // namespace
}  // namespace wafertlm
