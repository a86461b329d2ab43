// SPDX-License-Identifier: Apache-2.0
// chain PLATFORM.yaml: an all-reduce along a snake through a 4x4 wafer, in 16 chunks, with values that are
// proven.
#include <exception>
#include <iostream>
#include <memory>
#include <systemc>

#include "platform/machine/run_program.h"
#include "tlm/program/program.h"

namespace {

using wafertlm::Step;

constexpr std::uint32_t kRanks = 16, kSide = 4, kChunks = 16;
constexpr std::uint64_t kBytes = 1 << 20;

/// What a rank does. Threadblock 0: chunks come from the next rank, are added and go on to the one before;
/// threadblock 1: the sums come back and are stored.
class Chain final : public wafertlm::StepSource {
 public:
  explicit Chain(std::uint32_t rank) : rank_(rank) {}

  std::uint32_t threadblocks() const override { return 2; }
  std::uint32_t steps(std::uint32_t) const override { return is_end() ? kChunks : 2 * kChunks; }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override {
    const bool is_down = threadblock == 0;
    const bool sends = is_end() ? is_down == (rank_ != 0) : index % 2 == 1;
    Step step;
    step.kind = sends ? Step::Kind::send : is_down ? Step::Kind::reduce : Step::Kind::copy;
    step.peer = sends == is_down ? rank_ - 1 : rank_ + 1;
    step.tag = is_end() ? index : index / 2;  // the chunk
    step.bytes = kBytes / kChunks;
    step.offset = step.tag * step.bytes;
    if (rank_ == 0 && !is_down) {  // what it sends back is whole when it has been added
      step.after_threadblock = 0;
      step.after_count = index + 1;
    }
    return step;
  }

 private:
  bool is_end() const { return rank_ == 0 || rank_ == kRanks - 1; }
  std::uint32_t rank_;
};

/// Neighbours in the chain are neighbours on the wafer.
wafertlm::NpuId npu_of(std::uint32_t rank) {
  const std::uint32_t row = rank / kSide, along = rank % kSide;
  return static_cast<wafertlm::NpuId>(row * kSide + (row % 2 == 0 ? along : kSide - 1 - along));
}

}  // namespace

int sc_main(int argc, char** argv) try {
  auto program = std::make_shared<wafertlm::CollectiveProgram>();
  program->type = wafertlm::CollectiveType::all_reduce;
  program->algorithm = "chain";
  program->bytes = program->buffer_bytes = kBytes;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    program->group.push_back(npu_of(rank));
    program->ranks.push_back(std::make_unique<Chain>(rank));
  }
  const wafertlm::ProgramResult result =
      wafertlm::run_program(argc > 1 ? argv[1] : "wafer.yaml", {"run.functional=true"}, program);
  std::cout << "1 MiB take " << result.time_ps << " ps, values " << (result.proven ? "proven" : "not checked")
            << ", busiest link " << result.busiest_link_payload_bytes << " B\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << "chain: " << error.what() << "\n";
  return 2;
}
