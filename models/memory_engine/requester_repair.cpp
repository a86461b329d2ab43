// SPDX-License-Identifier: Apache-2.0
// What RequesterEngine does about writes that a provider has not taken: they stay in the journal, are read
// from there, and are written again.
#include <algorithm>
#include <map>
#include <utility>

#include "models/memory_engine/requester_engine.h"
#include "tlm/kernel/free_numbers.h"

namespace wafertlm {

bool RequesterEngine::may_write(std::uint32_t provider_node, const Segment& segment) const {
  const auto provider = std::find_if(providers_.begin(), providers_.end(),
                                     [&](const ProviderPort& port) { return port.node == provider_node; });
  return provider->grants->check(params_.id, true, segment) == Refusal::none;
}

/// Bytes in the journal that may be written again; what is revoked stays there until it is granted again.
std::uint64_t RequesterEngine::waits_for_repair() const {
  if (journal_.empty()) return 0;
  return journal_.bytes(
      [this](std::uint32_t node, const Segment& segment) { return may_write(node, segment); });
}

bool RequesterEngine::must_not_start(const Access& access) const {
  const bool writes = access.write || hiding_->answers_before_writing();
  return writes && waits_for_repair() >= params_.journal_pages * params_.page_bytes;
}

/// Nothing else is under way. A page and its tag go together, as they are read: one without the other is
/// none.
void RequesterEngine::repair() {
  const std::uint32_t number = take_number(accesses_, free_accesses_);
  accesses_[number] = {};
  accesses_[number].is_repair = accesses_[number].is_writing = true;
  ++active_;
  std::vector<std::uint32_t> units;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> unit_of_place;
  for (const WriteJournal::Piece& piece : journal_.pieces(
           [this](std::uint32_t node, const Segment&segment) { return may_write(node, segment); })) {
    std::uint64_t place = piece.segment.address;  // of a tag: that of its page
    if (params_.encrypts() && place >= layout_.tags() && place < layout_.nodes())
      place = layout_.base + (place - layout_.tags()) / layout_.tag_bytes * params_.page_bytes;
    const auto [unit, is_new] = unit_of_place.emplace(std::pair(piece.node, place), 0);
    if (is_new) {
      unit->second = add_unit(number, true, Unit::Kind::bytes, piece.node);
      units.push_back(unit->second);
    }
    EngineMessage& message = units_[unit->second]->message;
    message.segments.push_back(piece.segment);
    message.data.insert(message.data.end(), piece.data.begin(), piece.data.end());
  }
  for (const std::uint32_t unit : units) network_.send(units_[unit]->message);
}

/// What was written is in the journal no longer; what was read is as the journal has it, whatever the
/// provider says if that is all of it.
void RequesterEngine::settle(EngineMessage& message) {
  unsigned char* data = message.data.empty() ? nullptr : message.data.data();
  bool has_all = !message.write;
  for (const Segment& segment : message.segments) {
    if (message.write)
      journal_.drop(message.from, segment);
    else
      has_all &= journal_.overlay(message.from, segment, data);
    if (data) data += segment.bytes;
  }
  if (has_all) message.refusal = Refusal::none;
}

/// What was refused has not moved; sealed data is kept even so, for the counters of their pages have moved
/// on.
void RequesterEngine::not_taken(const EngineMessage& message) {
  if (message.refusal != Refusal::memory_error && !params_.encrypts()) return;
  const unsigned char* data = message.data.empty() ? nullptr : message.data.data();
  for (const Segment& segment : message.segments) {
    journal_.keep(message.from, segment, data);
    if (data) data += segment.bytes;
  }
}

void RequesterEngine::forget(std::uint64_t first_slot, std::uint64_t count) {
  sealer_.forget(first_slot, count);
  for (std::uint64_t slot = first_slot; slot < first_slot + count && !journal_.empty(); ++slot) {
    const std::uint32_t node = providers_[layout_.provider_of(slot)].node;
    journal_.drop(node, {layout_.slot_address(slot), params_.page_bytes});
    journal_.drop(node, layout_.tag(slot));
  }
}

}  // namespace wafertlm
