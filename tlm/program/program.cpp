// SPDX-License-Identifier: Apache-2.0
#include "tlm/program/program.h"

#include <cstring>
#include <stdexcept>

namespace wafertlm {

std::vector<BufferPiece> StepSource::pieces(std::uint32_t threadblock, std::uint32_t index) const {
  const Step it = step(threadblock, index);
  return {{it.offset, it.bytes}};
}

void do_locally(const Step& step, DataType type, std::byte* buffer) {
  if (step.kind == Step::Kind::local_reduce)
    add_values(type, buffer + step.offset, buffer + step.tag, step.bytes);
  else
    std::memmove(buffer + step.offset, buffer + step.tag, step.bytes);
}

FlowMembers StepSource::flow(std::uint64_t) const { throw std::logic_error("this program has no flows"); }

const char* to_string(CollectiveType type) {
  static constexpr const char* kNames[] = {"all_reduce", "all_gather", "reduce_scatter",
                                           "all_to_all", "broadcast",  "reduce",
                                           "gather",     "scatter",    "barrier"};
  return kNames[static_cast<std::size_t>(type)];
}

bool has_root(CollectiveType type) {
  return type == CollectiveType::broadcast || type == CollectiveType::reduce ||
         type == CollectiveType::gather || type == CollectiveType::scatter;
}

}  // namespace wafertlm
