// SPDX-License-Identifier: Apache-2.0
// Rings and tori of 3 to 16 with the smallest buffers: all-to-all and tornado end.
#include <gtest/gtest.h>

#include <memory>

#include "platform/fabrics/dimensional/dimensional_kind.h"
#include "tests/collectives/dimensional/dimensional_case.h"

namespace wafertlm {
namespace {

using test::DimensionalCase;
using test::first_npus;

/// Everybody sends `bytes` to the one `ahead` further, in every dimension.
class Tornado final : public StepSource {
 public:
  Tornado(std::uint32_t to, std::uint32_t from, std::uint64_t bytes) : to_(to), from_(from), bytes_(bytes) {}
  std::uint32_t threadblocks() const override { return 2; }
  std::uint32_t steps(std::uint32_t) const override { return 1; }
  Step step(std::uint32_t threadblock, std::uint32_t) const override {
    Step step;
    step.kind = threadblock == 0 ? Step::Kind::send : Step::Kind::copy;
    step.peer = threadblock == 0 ? to_ : from_;
    step.bytes = bytes_;
    return step;
  }

 private:
  std::uint32_t to_, from_;
  std::uint64_t bytes_;
};

/// Tori of these sides; buffers hold two packets.
DimensionalCase torus(const std::vector<std::uint32_t>& sides) {
  DimensionalCase what;
  for (const std::uint32_t side : sides)
    what.dimensions += fmt::format("{}{{topology: ring, size: {}, bandwidth: 100 GB/s, latency: 100 ns}}",
                                   what.dimensions.empty() ? "" : ", ", side);
  what.fabric = "packet_bytes: 64 B, input_buffer: 128 B, credit_delay: 50 ns";
  what.run = "checkers: true, watchdog: 10 ms";
  return what;
}

void run_tornado(const std::vector<std::uint32_t>& sides) {
  const config::PlatformSpec spec = torus(sides).spec();
  const Dimensions dimensions = dimensional_params(spec.wafer).dimensions;
  const auto planner = [&](const FabricTraits&) -> CollectivePlan {
    auto program = std::make_shared<CollectiveProgram>();
    program->type = CollectiveType::all_to_all;
    program->algorithm = "tornado";
    program->group = first_npus(dimensions.npus());
    program->bytes = program->buffer_bytes = 4096;
    const auto shifted = [&](NpuId npu, bool ahead) {
      for (std::size_t d = 0; d < dimensions.count(); ++d) {
        const std::uint32_t size = dimensions[d].size, by = std::max((size - 1) / 2, 1U);
        npu = dimensions.at(npu, d, (dimensions.coordinate(npu, d) + (ahead ? by : size - by)) % size);
      }
      return static_cast<std::uint32_t>(npu);
    };
    for (const NpuId npu : program->group)
      program->ranks.push_back(std::make_unique<Tornado>(shifted(npu, true), shifted(npu, false), 4096));
    return {{{program, "dp", {}}}, {}};
  };
  run_in_child([&]() -> nlohmann::json { return {{"time", run_collectives(spec, planner).time_ps}}; });
}

TEST(WrapAround, RingsOf3To16) {
  for (std::uint32_t size = 3; size <= 16; ++size) {
    run_tornado({size});
    const config::PlatformSpec spec = torus({size}).spec();
    test::outcome(spec, {CollectiveType::all_to_all, first_npus(size), 1024 * size, "direct", 1});
  }
}

TEST(WrapAround, Tori) {
  for (const std::vector<std::uint32_t>& sides :
       {std::vector<std::uint32_t>{3, 3}, {4, 5}, {8, 8}, {3, 4, 5}, {2, 7, 3}}) {
    run_tornado(sides);
    const config::PlatformSpec spec = torus(sides).spec();
    const std::uint32_t npus = spec.wafer.npu_count();
    test::outcome(spec, {CollectiveType::all_to_all, first_npus(npus), 256 * npus, "direct", 1});
  }
}

}  // namespace
}  // namespace wafertlm
