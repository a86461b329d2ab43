// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/provider_engine.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tlm/kernel/free_numbers.h"

namespace wafertlm {

ProviderEngine::ProviderEngine(const ProviderEngineParams& params, PageTable table, EngineClock& clock,
                               EngineNetwork& network, ProviderMemory& memory)
    : params_(params),
      table_(std::move(table)),
      clock_(clock),
      network_(network),
      memory_(memory),
      node_(network.attach(*this)) {}

bool ProviderEngine::overlaps(const EngineMessage& message, std::uint64_t first, std::uint64_t count) const {
  return std::any_of(message.segments.begin(), message.segments.end(), [&](const Segment& segment) {
    return segment.bytes != 0 && table_.page_of(segment.address) < first + count &&
           table_.page_of(segment.address + segment.bytes - 1) >= first;
  });
}

bool ProviderEngine::grant(RequesterId requester, std::uint64_t first, std::uint64_t count, PageRights rights,
                           std::function<void()> done) {
  for (const EngineMessage* message : under_way_)
    if (message && message->open != 0 && message->requester != requester && overlaps(*message, first, count))
      return false;
  table_.grant(requester, first, count, rights);
  drain(
      [&](const EngineMessage& message) {
        return overlaps(message, first, count) && check(message) != Refusal::none;
      },
      std::move(done));
  return true;
}

void ProviderEngine::revoke(std::uint64_t first, std::uint64_t count, std::function<void()> done) {
  table_.revoke(first, count);
  // With regions any of the memory may be what a requester without pages still accesses.
  drain(
      [&](const EngineMessage& message) {
        return overlaps(message, first, count) ||
               (params_.validation == Validation::region && table_.granted(message.requester) == 0);
      },
      std::move(done));
}

template <typename Of>
void ProviderEngine::drain(Of of, std::function<void()> done) {
  Revocation revocation{{}, std::move(done)};
  for (std::uint32_t number = 0; number < under_way_.size(); ++number)
    if (const EngineMessage* const message = under_way_[number];
        message && message->open != 0 && of(*message))
      revocation.waits_for.push_back(number);
  if (!revocation.waits_for.empty()) return revocations_.push_back(std::move(revocation));
  if (revocation.done) revocation.done();
}

void ProviderEngine::arrived(EngineMessage& message, Span) {
  const std::uint32_t number = take_number(under_way_, free_);
  under_way_[number] = &message;
  message.open = 0;
  if (params_.validate_ps == 0)
    begin(number, clock_.now());
  else
    clock_.schedule(clock_.now() + params_.validate_ps, *this, number);
}

Refusal ProviderEngine::check(RequesterId requester, bool write, const Segment& segment) const {
  if (params_.validation == Validation::page)
    return table_.check(requester, write, segment.address, segment.bytes);
  const std::uint64_t end = table_.pages() * table_.page_bytes();
  if (segment.bytes == 0) return Refusal::no_bytes;
  const bool inside = segment.address < end && segment.bytes <= end - segment.address;
  return inside && table_.granted(requester) != 0 ? Refusal::none : Refusal::not_granted;
}

Refusal ProviderEngine::check(const EngineMessage& message) const {
  if (params_.authenticated) {
    const auto enrolled = enrolled_.find(message.from);
    if (enrolled == enrolled_.end() || enrolled->second != message.requester) return Refusal::forged;
  }
  if (message.segments.empty()) return Refusal::no_bytes;
  for (const Segment& segment : message.segments)
    if (const Refusal refusal = check(message.requester, message.write, segment); refusal != Refusal::none)
      return refusal;
  return Refusal::none;
}

void ProviderEngine::begin(std::uint32_t number, TimePs now) {
  EngineMessage& message = *under_way_[number];
  message.refusal = check(message);
  if (message.refusal != Refusal::none) return answer(number);
  message.open = static_cast<std::uint32_t>(message.segments.size());
  unsigned char* data = message.data.empty() ? nullptr : message.data.data();
  for (const Segment& segment : message.segments) {
    if (observer_) observer_->accessed(observed_as_, message.requester, message.write, segment, now);
    bytes_[message.write] += segment.bytes;
    memory_.start(message.write, segment.address, segment.bytes, number, data);
    if (data) data += segment.bytes;
  }
}

void ProviderEngine::memory_done(std::uint64_t token, bool ok) {
  const auto number = static_cast<std::uint32_t>(token);
  EngineMessage& message = *under_way_[number];
  if (!ok) message.refusal = Refusal::memory_error;
  if (--message.open != 0) return;
  if (!message.write && message.refusal == Refusal::none) message.refusal = check(message);
  answer(number);
}

void ProviderEngine::answer(std::uint32_t number) {
  EngineMessage& message = *under_way_[number];
  under_way_[number] = nullptr;
  free_.push_back(number);
  if (message.refusal == Refusal::none)
    ++served_;
  else
    ++refusals_[static_cast<std::size_t>(message.refusal)];
  if (!message.write && message.refusal != Refusal::none)
    std::fill(message.data.begin(), message.data.end(), static_cast<unsigned char>(0));
  message.is_answer = true;
  std::swap(message.from, message.to);
  network_.send(message);
  end_revocations(number);
}

/// Those that waited for this message alone.
void ProviderEngine::end_revocations(std::uint32_t number) {
  for (Revocation& revocation : revocations_) {
    std::vector<std::uint32_t>& waits_for = revocation.waits_for;
    waits_for.erase(std::remove(waits_for.begin(), waits_for.end(), number), waits_for.end());
  }
  const auto over = std::stable_partition(revocations_.begin(), revocations_.end(),
                                          [](const Revocation& each) { return !each.waits_for.empty(); });
  // They may revoke and grant in turn.
  const std::vector<Revocation> ended(std::make_move_iterator(over),
                                      std::make_move_iterator(revocations_.end()));
  revocations_.erase(over, revocations_.end());
  for (const Revocation& revocation : ended)
    if (revocation.done) revocation.done();
}

}  // namespace wafertlm
