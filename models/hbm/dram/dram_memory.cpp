// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/dram_memory.h"

#include <algorithm>
#include <stdexcept>

#include "models/hbm/dram/command_channel.h"
#include "tlm/kernel/free_numbers.h"

namespace wafertlm {
namespace {

constexpr std::size_t kAhead = 2;  // channels
/// Of each channel that is told apart, between two attempts to merge (while requests are under way, and when
/// none is): about what an attempt takes, and more if the last ones brought little.
constexpr std::uint64_t kVisitsToMerge[] = {16, 2}, kMaxVisitsToMerge = 256;

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

/// Those of a refresh of all banks, which ends what is under way, are not known yet.
DramParams with_possible_shortcuts(DramParams params) {
  params.shortcuts &= params.queue.refresh == DramRefresh::per_bank;
  return params;
}

}  // namespace

DramMemory::DramMemory(const DramParams& params)
    : params_(with_possible_shortcuts(params)),
      map_(params.timing, params.map),
      burst_(params.timing, params.queue),
      of_(map_.channels(), 0),
      last_same_(map_.channels(), 0),
      own_(map_.channels()),
      merge_after_{kVisitsToMerge[0], kVisitsToMerge[1]} {
  if (params_.level == DramLevel::burst && params_.shortcuts) {
    channels_.push_back(std::make_unique<BurstChannel>(burst_, true));
    members_.push_back(map_.channels());
  } else {
    for (std::uint32_t k = 0; k < map_.channels(); ++k) {
      if (params.level == DramLevel::burst)
        channels_.push_back(std::make_unique<BurstChannel>(burst_, false));
      else
        channels_.push_back(std::make_unique<CommandChannel>(params.timing, params.queue));
      members_.push_back(1);
      of_[k] = k;
    }
  }
  same_in_.resize(channels_.size(), 0);
}

MemoryTiming::Id DramMemory::submit(const TimedAccess& access, TimePs now) {
  now = latest_ = std::max(now, latest_);
  if (params_.shortcuts && params_.level == DramLevel::burst &&
      visits_since_merge_ > merge_after_[under_way_ == 0] * distinct_channels()) {
    const std::size_t before = distinct_channels();
    merge(now);
    const bool rests = under_way_ == 0, was_worth_it = distinct_channels() < before - before / 8;
    merge_after_[rests] =
        was_worth_it ? kVisitsToMerge[rests] : std::min(2 * merge_after_[rests], kMaxVisitsToMerge);
  }
  ++under_way_;
  if (free_.empty() && requests_.size() >> kVisitBits != 0)
    throw std::length_error("more than 65,536 accesses in a memory at a time");
  const Id id = take_number(requests_, free_);
  Request& request = requests_[id];
  request.visits.clear();
  request.undecided = 0;
  request.end_ps = now;
  if (access.bytes == 0) return id;
  cut(access, id, now);
  return id;
}

/// Into row visits.
void DramMemory::cut(const TimedAccess& access, Id id, TimePs now) {
  std::uint64_t first = access.address / map_.access_bytes();
  const std::uint64_t end = (access.address + access.bytes - 1) / map_.access_bytes() + 1;
  RowVisit same;
  ++same_runs_;
  const std::uint64_t whole = map_.accesses_per_piece();
  for (AddressMap::Walk walk(map_, first);; walk.next_piece()) {
    if (const std::uint64_t passed = visit_whole(walk, (end - first) / whole, access.write, id, now);
        passed != 0) {
      first += passed * whole;
      if (first == end) break;
      continue;
    }
    AddressMap::Location at = walk.location();
    at.visit.write = access.write;
    const std::uint64_t in_piece = map_.accesses_per_piece() - (first & (map_.accesses_per_piece() - 1));
    at.visit.accesses = static_cast<std::uint32_t>(std::min(in_piece, end - first));
    first += at.visit.accesses;
    if (!same_.empty() && (last_same_[at.channel] == same_runs_ || !(at.visit == same)))
      visit_same(same, id, now);
    if (const std::uint32_t of = of_[at.channel]; members_[of] == 1) {
      singles_.push_back({of, at.visit});
    } else {
      same = at.visit;
      last_same_[at.channel] = same_runs_;
      same_.push_back(at.channel);
    }
    if (first == end) break;
  }
  if (!same_.empty()) visit_same(same, id, now);
  if (!singles_.empty()) visit_singles(id, now);
}

/// Channels that are told apart are more than a near cache holds: they are fetched before their turn.
void DramMemory::visit_singles(Id id, TimePs now) {
  const std::size_t count = singles_.size();
  const bool fetch = params_.level == DramLevel::burst && count > 1;
  for (std::size_t k = 0; k < count; ++k) {
    if (fetch && k + kAhead < count) burst(singles_[k + kAhead].of).prefetch(singles_[k + kAhead].visit);
    visit(singles_[k].of, singles_[k].visit, id, now);
  }
  singles_.clear();
}

/// The usual case of a stream: the next of `pieces` whole ones are all channels that one stands for. Returns
/// how many, and leaves `walk` at the last of them; or 0, and nothing has happened.
std::uint64_t DramMemory::visit_whole(AddressMap::Walk& walk, std::uint64_t pieces, bool write, Id id,
                                      TimePs now) {
  if (!same_.empty()) return 0;
  const std::uint32_t of = of_[walk.channel()], members = members_[of];
  if (members == 1 || members > std::min(pieces, walk.pieces_in_same_row())) return 0;
  AddressMap::Walk last = walk;
  for (std::uint32_t k = 1; k < members; ++k) {
    last.next_piece();
    if (of_[last.channel()] != of) return 0;
  }
  RowVisit all = walk.location().visit;
  all.write = write;
  all.accesses = static_cast<std::uint32_t>(map_.accesses_per_piece());
  visit(of, all, id, now);
  walk = last;
  return members;
}

void DramMemory::visit(std::uint32_t channel, const RowVisit& visit, Id id, TimePs now) {
  DramChannel& of = *channels_[channel];
  ++visits_since_merge_;
  Request& request = requests_[id];
  const auto number = static_cast<std::uint32_t>(request.visits.size());
  if (const TimePs done = of.push(visit, id << kVisitBits | number, now); done != kNever)
    request.end_ps = std::max(request.end_ps, done);
  else
    add_visit(id, channel);
  if (!of.done.empty()) collect(of);
}

std::uint32_t DramMemory::add_visit(Id id, std::uint32_t channel) {
  Request& request = requests_[id];
  const auto number = static_cast<std::uint32_t>(request.visits.size());
  if (number >> kVisitBits != 0) throw std::length_error("an access to a memory in more than 65,536 pieces");
  request.visits.push_back(channel);
  ++request.undecided;
  return id << kVisitBits | number;
}

/// The same visit to all channels of same_: one for each of those that are told apart.
void DramMemory::visit_same(const RowVisit& same, Id id, TimePs now) {
  for (const std::uint32_t channel : same_)
    if (same_in_[of_[channel]]++ == 0) same_of_.push_back(of_[channel]);
  for (const std::uint32_t of : same_of_) {
    std::uint32_t to = of;
    if (same_in_[of] != members_[of]) {
      to = split(of, same_in_[of]);
      for (const std::uint32_t channel : same_)
        if (of_[channel] == of) of_[channel] = to;
    }
    same_in_[of] = 0;
    visit(to, same, id, now);
  }
  same_of_.clear();
  same_.clear();
  ++same_runs_;
}

void DramMemory::collect(DramChannel& channel) {
  for (const DramChannel::Done& done : channel.done) {
    Request& request = requests_[done.tag >> kVisitBits];
    request.visits[done.tag & ((1U << kVisitBits) - 1)] = kDecided;
    --request.undecided;
    request.end_ps = std::max(request.end_ps, done.end_ps);
  }
  channel.done.clear();
}

MemoryTiming::Answer DramMemory::ask(Id id, TimePs now) {
  Request& request = requests_[id];
  if (request.undecided != 0)
    for (std::size_t k = 0; k < request.visits.size(); ++k)
      if (const std::uint32_t channel = request.visits[k]; channel != kDecided) {
        channels_[channel]->run_until(now);
        collect(*channels_[channel]);
      }
  if (request.undecided == 0) return {true, request.end_ps};
  TimePs again = request.end_ps;
  for (const std::uint32_t channel : request.visits)
    if (channel != kDecided) again = std::max(again, channels_[channel]->next_ps());
  return {false, again};
}

TimePs DramMemory::wait_for(Id id) {
  Answer answer = ask(id, 0);
  while (!answer.known) answer = ask(id, answer.at);
  return answer.at;
}

void DramMemory::end(Id id) {
  free_.push_back(id);
  --under_way_;
}

void DramMemory::run_until(TimePs until) {
  for (std::size_t k = 0; k < channels_.size(); ++k)
    if (members_[k] != 0) {
      channels_[k]->run_until(until);
      collect(*channels_[k]);
    }
}

// One BurstChannel for all channels of a DramMemory to which the same has happened.

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

MemoryLosses attribute_losses(DramMemory& memory, TimePs until_ps) {
  memory.run_until(kNever);
  MemoryLosses losses;
  losses.channels = memory.channels();
  for (std::uint32_t c = 0; c < losses.channels; ++c)
    losses.total_fs = std::max(losses.total_fs, memory.time(c).span_fs());
  const auto idle = [&](const DramTime& time) {
    return time.lost(DramLoss::no_request) + losses.total_fs - time.span_fs();
  };
  std::uint64_t least_idle = losses.total_fs;
  for (std::uint32_t c = 0; c < losses.channels; ++c) least_idle = std::min(least_idle, idle(memory.time(c)));
  for (std::uint32_t c = 0; c < losses.channels; ++c) {
    const DramTime time = memory.time(c);
    losses.too_few_outstanding_fs += least_idle;
    losses.channel_imbalance_fs += idle(time) - least_idle;
    losses.sum += time;
  }
  losses.sum.lost(DramLoss::no_request) = losses.too_few_outstanding_fs + losses.channel_imbalance_fs;
  extend(losses, until_ps);
  return losses;
}

void extend(MemoryLosses& losses, TimePs until_ps) {
  const std::uint64_t until_fs = until_ps * 1000;
  if (until_fs <= losses.total_fs) return;
  const std::uint64_t idle_fs = losses.channels * (until_fs - losses.total_fs);
  losses.total_fs = until_fs;
  losses.too_few_outstanding_fs += idle_fs;
  losses.sum.lost(DramLoss::no_request) += idle_fs;
}

}  // namespace wafertlm
