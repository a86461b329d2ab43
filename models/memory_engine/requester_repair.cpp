// SPDX-License-Identifier: Apache-2.0
// What RequesterEngine does about writes that a provider has not taken: they stay in the journal, are read
// from there, and are written again.
#include <algorithm>
#include <map>
#include <utility>

#include "models/memory_engine/requester_engine.h"
#include "tlm/kernel/free_numbers.h"

namespace wafertlm {

/// All that is written and read together with these bytes: a page and its tag, for one without the other is
/// none; or they alone.
std::vector<Segment> RequesterEngine::place_of(const Segment& segment) const {
  if (!params_.encrypts() || segment.address >= layout_.nodes()) return {segment};
  const std::uint64_t place = segment.address < layout_.tags()
                                  ? (segment.address - layout_.base) / params_.page_bytes
                                  : (segment.address - layout_.tags()) / layout_.tag_bytes;
  return {{layout_.base + place * params_.page_bytes, params_.page_bytes},
          {layout_.tags() + place * layout_.tag_bytes, layout_.tag_bytes}};
}

bool RequesterEngine::may_write(std::uint32_t provider_node, const Segment& segment) const {
  const auto provider = std::find_if(providers_.begin(), providers_.end(),
                                     [&](const ProviderPort& port) { return port.node == provider_node; });
  const std::vector<Segment> place = place_of(segment);
  return std::all_of(place.begin(), place.end(), [&](const Segment& part) {
    return provider->grants->check(params_.id, true, part) == Refusal::none;
  });
}

/// Is there something in the journal that may be written again?
bool RequesterEngine::waits_for_repair() const {
  return journal_.has(
      [this](std::uint32_t node, const Segment& segment) { return may_write(node, segment); });
}

/// In the journal, for all that the access may leave there: free; taken for now by what is under way; or
/// none, for it is full. What is revoked is given up before anything has to wait for it.
RequesterEngine::Room RequesterEngine::make_room(const Access& access) {
  const std::uint64_t needed = hiding_->most_written(access);
  if (needed == 0) return Room::free;
  const std::uint64_t each =
      params_.page_bytes + layout_.tag_bytes + (tree_ ? tree_->stored_levels() * layout_.node_bytes : 0);
  const auto kept = [&] { return (journal_.bytes() + each - 1) / each; };
  if (kept() + reserved_ + needed > params_.journal_pages && !journal_.empty())
    for (const WriteJournal::Piece& piece : journal_.pieces(
             [this](std::uint32_t node, const Segment&segment) { return !may_write(node, segment); }))
      journal_.drop(piece.node, piece.segment);
  if (kept() >= params_.journal_pages) return Room::none;
  return reserved_ == 0 || kept() + reserved_ + needed <= params_.journal_pages ? Room::free : Room::taken;
}

/// Nothing else is under way.
void RequesterEngine::repair() {
  const std::uint32_t number = take_number(accesses_, free_accesses_);
  accesses_[number] = {};
  accesses_[number].is_repair = accesses_[number].is_writing = true;
  ++active_;
  std::vector<std::uint32_t> units;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> unit_of_place;
  for (const WriteJournal::Piece& piece : journal_.pieces(
           [this](std::uint32_t node, const Segment&segment) { return may_write(node, segment); })) {
    const std::uint64_t place = place_of(piece.segment).front().address;
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
