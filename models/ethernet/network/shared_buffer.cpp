// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/network/shared_buffer.h"

#include <algorithm>
#include <stdexcept>

#include "tlm/kernel/units.h"

namespace wafertlm::ethernet {

SharedBuffer::SharedBuffer(const SharedBufferParams& params, std::vector<std::uint64_t> headroom_bytes)
    : params_(params), queues_(headroom_bytes.size()) {
  if (params_.threshold.alpha_denominator == 0) throw std::invalid_argument("alpha has a denominator of 0");
  if (params_.threshold.dynamic && params_.threshold.alpha_numerator == 0)
    throw std::invalid_argument("with alpha 0 no queue gets anything of the shared buffer");
  for (std::size_t i = 0; i < queues_.size(); ++i) queues_[i].headroom_bytes = headroom_bytes[i];
}

std::uint64_t SharedBuffer::xoff_bytes() const {
  const Threshold& of = params_.threshold;
  if (!of.dynamic) return of.xoff_bytes;
  const std::uint64_t free = params_.pool_bytes - shared_used_;
  return static_cast<std::uint64_t>(Uint128{free} * of.alpha_numerator / of.alpha_denominator);
}

bool SharedBuffer::admit(std::uint32_t number, std::uint32_t bytes) {
  Queue& queue = queues_[number];
  if (queue.reserved + bytes <= params_.reserved_bytes) {
    queue.reserved += bytes;
    return true;
  }
  const bool takes = queue.headroom_bytes != 0 ? !queue.is_paused : queue.shared < xoff_bytes();
  if (takes && shared_used_ + bytes <= params_.pool_bytes) {
    queue.shared += bytes;
    shared_used_ += bytes;
    return true;
  }
  if (queue.headroom + bytes > queue.headroom_bytes) return false;
  queue.headroom += bytes;
  queue.most_headroom = std::max(queue.most_headroom, queue.headroom);
  return true;
}

void SharedBuffer::release(std::uint32_t number, std::uint32_t bytes) {
  Queue& queue = queues_[number];
  std::uint64_t left = bytes;
  const auto take = [&](std::uint64_t& from) {
    const std::uint64_t part = std::min(left, from);
    from -= part;
    left -= part;
    return part;
  };
  take(queue.headroom);
  shared_used_ -= take(queue.shared);
  take(queue.reserved);
  if (left != 0) throw std::logic_error("a switch's buffer gives back more than it took");
}

bool SharedBuffer::may_resume(std::uint32_t number) const {
  const Queue& queue = queues_[number];
  if (queue.headroom != 0) return false;
  if (queue.shared == 0) return true;
  const Threshold& of = params_.threshold;
  return of.dynamic ? queue.shared + of.xon_bytes <= xoff_bytes() : queue.shared <= of.xon_bytes;
}

}  // namespace wafertlm::ethernet
