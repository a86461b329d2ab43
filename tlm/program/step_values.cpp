// SPDX-License-Identifier: Apache-2.0
#include "tlm/program/step_values.h"

#include <algorithm>

namespace wafertlm {

void gather_values(const StepSource& program, std::uint32_t threadblock, std::uint32_t step,
                   const std::byte* buffer, std::vector<std::byte>& to) {
  for (const BufferPiece& piece : program.pieces(threadblock, step))
    to.insert(to.end(), buffer + piece.offset, buffer + piece.offset + piece.bytes);
}

void store_values(const StepSource& program, std::uint32_t threadblock, std::uint32_t step,
                  const RankBuffer& buffer, const std::byte* from) {
  const bool reduces = program.step(threadblock, step).kind == Step::Kind::reduce;
  for (const BufferPiece& piece : program.pieces(threadblock, step)) {
    if (reduces)
      add_values(buffer.type, buffer.values + piece.offset, from, piece.bytes);
    else
      std::copy(from, from + piece.bytes, buffer.values + piece.offset);
    from += piece.bytes;
  }
}

void ReceivedValues::store(const StepSource& program, std::uint32_t threadblock, const RankBuffer& buffer) {
  for (const auto& [step, values] : values_[threadblock])
    store_values(program, threadblock, step, buffer, values.data());
  values_.erase(threadblock);
}

}  // namespace wafertlm
