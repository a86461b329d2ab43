// SPDX-License-Identifier: Apache-2.0
// One BurstChannel for all channels of a DramMemory to which the same has happened.
#include <algorithm>

#include "models/hbm/dram/dram_memory.h"

namespace wafertlm {
namespace {

std::uint64_t accesses(const DramTime& time) { return time.accesses_read + time.accesses_written; }

/// Of what begins there: in four lanes, so that products overlap.
std::uint64_t hash(const std::vector<std::uint64_t>& state, std::size_t begin) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t lane[4] = {1, 2, 3, 4};
  for (std::size_t k = begin; k < state.size(); ++k)
    lane[(k - begin) % 4] = (lane[(k - begin) % 4] ^ state[k]) * kOdd;
  std::uint64_t sum = 0;
  for (const std::uint64_t each : lane) sum = ((sum >> 32 ^ sum) + each) * kOdd;
  return sum;
}

}  // namespace

/// From here on another channel stands for so many of its members.
std::uint32_t DramMemory::split(std::uint32_t from, std::uint32_t members) {
  auto to = static_cast<std::uint32_t>(channels_.size());
  if (unused_.empty()) {
    channels_.push_back(std::make_unique<BurstChannel>(burst(from)));
    members_.push_back(0);
    same_in_.push_back(0);
  } else {
    to = unused_.back();
    unused_.pop_back();
    burst(to) = burst(from);
  }
  burst(to).set_tags([&](std::uint32_t tag) { return add_visit(tag >> kVisitBits, to); });
  members_[from] -= members;
  members_[to] = members;
  return to;
}

/// Channels in equal states become one.
void DramMemory::merge(TimePs now) {
  visits_since_merge_ = 0;
  states_.clear();
  described_.clear();
  for (std::uint32_t k = 0; k < channels_.size(); ++k) {
    if (members_[k] == 0) continue;
    const std::size_t begin = states_.size();
    burst(k).describe(now, kVisitBits, states_);
    if (!channels_[k]->done.empty()) collect(*channels_[k]);
    described_.push_back({hash(states_, begin), k, begin, states_.size()});
  }
  std::sort(described_.begin(), described_.end(), [](const Described& a, const Described& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.channel < b.channel;
  });
  const auto state = [&](std::size_t at) { return states_.begin() + static_cast<std::ptrdiff_t>(at); };
  merges_.clear();
  const Described* first = described_.data();
  for (const Described& each : described_) {
    if (each.hash != first->hash) first = &each;
    if (&each != first &&
        std::equal(state(each.begin), state(each.end), state(first->begin), state(first->end)))
      merges_.emplace_back(each.channel, first->channel);
  }
  for (const auto& [from, other] : merges_) merge(from, other);
}

void DramMemory::merge(std::uint32_t from, std::uint32_t other) {
  DramTime less = channels_[from]->time();
  const std::uint64_t made = accesses(less);
  const DramTime others = channels_[other]->time();
  less -= others;
  for (std::uint32_t c = 0; c < map_.channels(); ++c) {
    if (of_[c] != from) continue;
    of_[c] = other;
    Own& own = own_[c];
    const bool since = !own.any || made != own.accesses;
    if (own.any && since) own.more.lost(DramLoss::no_request) += own.bus_end_less_fs;
    own.more += less;
    const std::uint64_t bus_end = burst(from).bus_end_fs() - (since ? 0 : own.bus_end_less_fs);
    own.bus_end_less_fs = burst(other).bus_end_fs() - bus_end;
    own.accesses = accesses(others);
    own.any = true;
  }
  // Its visits under way are the same as the other's.
  burst(from).set_tags([&](std::uint32_t tag) {
    Request& request = requests_[tag >> kVisitBits];
    request.visits[tag & ((1U << kVisitBits) - 1)] = kDecided;
    --request.undecided;
    return tag;
  });
  members_[other] += members_[from];
  members_[from] = 0;
  unused_.push_back(from);
}

DramTime DramMemory::time(std::uint32_t channel) const {
  DramTime time = channels_[of_[channel]]->time();
  const Own& own = own_[channel];
  if (!own.any) return time;
  const bool since = accesses(time) != own.accesses;
  time += own.more;
  if (since) time.lost(DramLoss::no_request) += own.bus_end_less_fs;
  return time;
}

}  // namespace wafertlm
