// SPDX-License-Identifier: Apache-2.0
// What a coming call of CutThroughSwitch will touch, for the cache.
#include "tlm/link/cut_through.h"

namespace wafertlm {

void CutThroughSwitch::prefetch_output(PortId port) const {
  const auto* const lines = reinterpret_cast<const char*>(&outputs_[index_of(port)]);
  for (std::size_t k = 0; k < sizeof(Output); k += 64) __builtin_prefetch(lines + k);
  __builtin_prefetch(outputs_[index_of(port)].channels);
}

void CutThroughSwitch::prefetch_contenders(PortId port) const {
  const Output& output = outputs_[index_of(port)];
  for (std::uint32_t vcs = output.requesting_vcs; vcs != 0; vcs &= vcs - 1) {
    const auto vc = static_cast<std::size_t>(__builtin_ctz(vcs));
    const Channel& asked = output.channels[vc];
    for (std::uint64_t bits = asked.requests; bits != 0; bits &= bits - 1)
      __builtin_prefetch(&queue(output, vc, static_cast<std::size_t>(__builtin_ctzll(bits))));
    asked.credits.prefetch();
  }
}

SwitchCore::Winner CutThroughSwitch::likely_winner(PortId port) const {
  const Output& output = outputs_[index_of(port)];
  if (output.requesting_vcs == 0) return {};
  const auto vc = static_cast<std::size_t>(__builtin_ctz(output.requesting_vcs));
  const std::uint64_t requests = output.channels[vc].requests;
  const std::uint32_t from = output.channels[vc].next_input % 64;
  for (std::uint64_t bits = requests >> from | requests << (64 - from) % 64; bits != 0; bits &= bits - 1) {
    const auto input = (from + static_cast<std::uint32_t>(__builtin_ctzll(bits))) % 64;
    const Queue& waiting = queue(output, vc, input);
    if (waiting.eligible_ps > output.wake.at_ps()) continue;
    return {input, waiting.head};
  }
  return {};
}

void CutThroughSwitch::prefetch_arrival(PortId input, const Packet& packet) const {
  const std::size_t out = index_of(routes_.output_for(packet)), vc = index_of(packet.vc);
  __builtin_prefetch(queues_ + ((per_output_ ? out * vcs_ : 0) + vc) * inputs_ + index_of(input));
  __builtin_prefetch(&channels_[out * vcs_ + vc]);
  const auto* const line = reinterpret_cast<const char*>(&outputs_[out]);
  __builtin_prefetch(line);
  __builtin_prefetch(line + 64);
}

}  // namespace wafertlm
