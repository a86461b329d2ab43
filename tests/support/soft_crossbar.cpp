// SPDX-License-Identifier: Apache-2.0
#include "tests/support/soft_crossbar.h"

namespace wafertlm::test {

SoftCrossbar::SoftCrossbar(const RtlDesign& design, SoftRtl& pins, const Faults& faults)
    : design_(design), pins_(pins), faults_(faults) {
  reset();
  pins_.at_edge = [this] { edge(); };
}

void SoftCrossbar::reset() {
  resets_ = pins_.resets();
  if (!faults_.keeps_flits_in_reset) edge_ = credits_ = output_credits_ = 0;
  if (queues_.empty() || !faults_.keeps_flits_in_reset)
    queues_.assign(std::size_t{design_.ports} * design_.channels, {});
  going_.assign(queues_.size(), {});
  credits_to_give_.assign(design_.ports, {});
  outputs_.assign(queues_.size(), {design_.out_depth, {}, 0});
}

void SoftCrossbar::edge() {
  if (resets_ != pins_.resets()) reset();
  ++edge_;
  for (const char* pin : {"out_valid", "in_credit"}) pins_.clear(pin);
  for (std::uint32_t port = 0; port < design_.ports; ++port) {
    take(port);
    if (pins_.see("out_credit", port, 1) != 0 &&
        (++output_credits_,
         faults_.loses_output_credit == 0 || output_credits_ % faults_.loses_output_credit != 0))
      ++outputs_[at(port, pins_.see("out_credit_vc", port * design_.channel_bits(), design_.channel_bits()))]
            .credits;
  }
  for (std::uint32_t port = 0; port < design_.ports; ++port)
    for (std::uint32_t k = 0; k < design_.channels; ++k)
      if (serve(port, static_cast<std::uint32_t>((edge_ + k) % design_.channels))) break;
  for (std::uint32_t port = 0; port < design_.ports; ++port) {
    auto& due = credits_to_give_[port];
    if (due.empty()) continue;
    if (++credits_; faults_.loses_credit == 0 || credits_ % faults_.loses_credit != 0) {
      pins_.show("in_credit", port, 1, 1);
      pins_.show("in_credit_vc", port * design_.channel_bits(), design_.channel_bits(), due.front());
    }
    due.pop_front();
  }
}

void SoftCrossbar::take(std::uint32_t input) {
  std::optional<RtlFlit> flit = pins_.flit_in(input);
  if (!flit) return;
  if (faults_.turns_bit_of && (flit->data[0] & 0x1'ffff) == *faults_.turns_bit_of) flit->data[0] ^= 1U << 31;
  if (faults_.credits_at_once) credit(input, flit->channel);
  queues_[at(input, flit->channel)].push_back({edge_ + design_.latency - 1, std::move(*flit)});
}

std::uint32_t SoftCrossbar::output_of(const RtlFlit& head) const {
  const std::uint32_t output = RtlHeader::of(head.header).flow & 0xff;
  return output == faults_.wrong_output_of ? 0 : output;
}

bool SoftCrossbar::can_leave(std::size_t queue) const {
  return !queues_[queue].empty() && queues_[queue].front().ready <= edge_;
}

/// Sends a flit by this channel of the output, if there is one.
bool SoftCrossbar::serve(std::uint32_t port, std::uint32_t channel) {
  Output& output = outputs_[at(port, channel)];
  if (output.credits == 0 || (faults_.rests != 0 && output.owner && edge_ % faults_.rests == 0)) return false;
  std::optional<std::size_t> from = output.owner;
  if (from && !can_leave(*from)) {
    if (!faults_.interleaves) return false;
    from.reset();
  }
  for (std::size_t k = 0; !from && k < design_.ports; ++k) {
    const std::size_t queue = at((output.next + k) % design_.ports, channel);
    if (!can_leave(queue)) continue;
    const RtlFlit& first = queues_[queue].front().flit;
    if ((first.head ? output_of(first) : going_[queue].value_or(design_.ports)) == port) from = queue;
  }
  if (!from) return false;
  const RtlFlit flit = std::move(queues_[*from].front().flit);
  queues_[*from].pop_front();
  --output.credits;
  const auto input = static_cast<std::uint32_t>(*from / design_.channels);
  if (!faults_.credits_at_once) credit(input, channel);
  going_[*from] = port;
  output.owner = from;
  if (flit.tail) {
    output.owner.reset();
    if (!faults_.never_rotates) output.next = (input + 1) % design_.ports;
  }
  pins_.flit_out(port, flit);
  return true;
}

void SoftCrossbar::credit(std::uint32_t input, std::uint32_t channel) {
  credits_to_give_[input].push_back(channel);
}

}  // namespace wafertlm::test
