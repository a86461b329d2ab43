// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tlm/program/program.h"

namespace wafertlm {

/// The buffer of a rank in functional mode; null: values do not count.
struct RankBuffer {
  std::byte* values = nullptr;
  DataType type{};
};

void gather_values(const StepSource& program, std::uint32_t threadblock, std::uint32_t step,
                   const std::byte* buffer, std::vector<std::byte>& to);

/// Stores what a step has received, or adds it to what is there.
void store_values(const StepSource& program, std::uint32_t threadblock, std::uint32_t step,
                  const RankBuffer& buffer, const std::byte* from);

/// What nonblocking receives of a rank brought, until all of a threadblock's are there.
class ReceivedValues {
 public:
  void add(std::uint32_t threadblock, std::uint32_t step, std::vector<std::byte> values) {
    values_[threadblock].emplace(step, std::move(values));
  }
  /// In the order of the steps, whatever came first, so that sums are the same bits.
  void store(const StepSource& program, std::uint32_t threadblock, const RankBuffer& buffer);

 private:
  std::map<std::uint32_t, std::map<std::uint32_t, std::vector<std::byte>>> values_;  // by threadblock, step
};

}  // namespace wafertlm
