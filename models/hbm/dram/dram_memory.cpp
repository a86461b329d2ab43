// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/dram_memory.h"

#include <algorithm>
#include <stdexcept>

#include "models/hbm/dram/command_channel.h"

namespace wafertlm {
namespace {

constexpr unsigned kPartBits = 16;
constexpr std::size_t kAhead = 2;  // channels
/// Of each channel that is told apart, between two attempts to join (while requests are under way, and when
/// none is): about what an attempt takes, and more if the last ones brought little.
constexpr std::uint64_t kVisitsToJoin[] = {16, 2}, kMostVisitsToJoin = 256;

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

DramMemory::DramMemory(const DramParams& params)
    : params_(params),
      map_(params.timing, params.map),
      burst_(params.timing, params.queue),
      of_(map_.channels(), 0),
      last_alike_(map_.channels(), 0),
      own_(map_.channels()),
      join_after_{kVisitsToJoin[0], kVisitsToJoin[1]} {
  if (params.level == DramLevel::burst && params.shortcuts) {
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
  alike_in_.resize(channels_.size(), 0);
}

MemoryTiming::Id DramMemory::submit(const MemoryAccess& access, TimePs now) {
  now = latest_ = std::max(now, latest_);
  if (params_.shortcuts && params_.level == DramLevel::burst &&
      visits_since_join_ > join_after_[under_way_ == 0] * distinct_channels()) {
    const std::size_t before = distinct_channels();
    join(now);
    const bool rests = under_way_ == 0, was_worth_it = distinct_channels() < before - before / 8;
    join_after_[rests] =
        was_worth_it ? kVisitsToJoin[rests] : std::min(2 * join_after_[rests], kMostVisitsToJoin);
  }
  ++under_way_;
  Id id = static_cast<Id>(requests_.size());
  if (free_.empty()) {
    if (id >> kPartBits != 0) throw std::length_error("more than 65,536 accesses in a memory at a time");
    requests_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Request& request = requests_[id];
  request.parts.clear();
  request.undecided = 0;
  request.end_ps = now;
  if (access.bytes == 0) return id;
  cut(access, id, now);
  return id;
}

/// Into row visits.
void DramMemory::cut(const MemoryAccess& access, Id id, TimePs now) {
  std::uint64_t first = access.address / map_.access_bytes();
  const std::uint64_t end = (access.address + access.bytes - 1) / map_.access_bytes() + 1;
  RowVisit alike;
  ++alike_runs_;
  const std::uint64_t whole = map_.accesses_per_piece();
  for (AddressMap::Walk walk(map_, first);; walk.next_piece()) {
    if (const std::uint64_t passed = visit_whole(walk, (end - first) / whole, access.write, id, now);
        passed != 0) {
      first += passed * whole;
      if (first == end) break;
      continue;
    }
    AddressMap::Place place = walk.place();
    place.visit.write = access.write;
    const std::uint64_t in_piece = map_.accesses_per_piece() - (first & (map_.accesses_per_piece() - 1));
    place.visit.accesses = static_cast<std::uint32_t>(std::min(in_piece, end - first));
    first += place.visit.accesses;
    if (!alike_.empty() && (last_alike_[place.channel] == alike_runs_ || !(place.visit == alike)))
      visit_alike(alike, id, now);
    if (const std::uint32_t of = of_[place.channel]; members_[of] == 1) {
      singles_.push_back({of, place.visit});
    } else {
      alike = place.visit;
      last_alike_[place.channel] = alike_runs_;
      alike_.push_back(place.channel);
    }
    if (first == end) break;
  }
  if (!alike_.empty()) visit_alike(alike, id, now);
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
  if (!alike_.empty()) return 0;
  const std::uint32_t of = of_[walk.channel()], members = members_[of];
  if (members == 1 || members > std::min(pieces, walk.alike())) return 0;
  AddressMap::Walk last = walk;
  for (std::uint32_t k = 1; k < members; ++k) {
    last.next_piece();
    if (of_[last.channel()] != of) return 0;
  }
  RowVisit all = walk.place().visit;
  all.write = write;
  all.accesses = static_cast<std::uint32_t>(map_.accesses_per_piece());
  visit(of, all, id, now);
  walk = last;
  return members;
}

void DramMemory::visit(std::uint32_t channel, const RowVisit& visit, Id id, TimePs now) {
  DramChannel& of = *channels_[channel];
  ++visits_since_join_;
  Request& request = requests_[id];
  const auto part = static_cast<std::uint32_t>(request.parts.size());
  if (const TimePs done = of.push(visit, id << kPartBits | part, now); done != kNever)
    request.end_ps = std::max(request.end_ps, done);
  else
    add_part(id, channel);
  if (!of.done.empty()) collect(of);
}

std::uint32_t DramMemory::add_part(Id id, std::uint32_t channel) {
  Request& request = requests_[id];
  const auto part = static_cast<std::uint32_t>(request.parts.size());
  if (part >> kPartBits != 0) throw std::length_error("an access to a memory in more than 65,536 pieces");
  request.parts.push_back(channel);
  ++request.undecided;
  return id << kPartBits | part;
}

/// The same visit to all channels of alike_: one for each of those that are told apart.
void DramMemory::visit_alike(const RowVisit& alike, Id id, TimePs now) {
  for (const std::uint32_t channel : alike_)
    if (alike_in_[of_[channel]]++ == 0) alike_of_.push_back(of_[channel]);
  for (const std::uint32_t of : alike_of_) {
    std::uint32_t to = of;
    if (alike_in_[of] != members_[of]) {
      to = part(of, alike_in_[of]);
      for (const std::uint32_t channel : alike_)
        if (of_[channel] == of) of_[channel] = to;
    }
    alike_in_[of] = 0;
    visit(to, alike, id, now);
  }
  alike_of_.clear();
  alike_.clear();
  ++alike_runs_;
}

/// From now on another channel is so many of its members.
std::uint32_t DramMemory::part(std::uint32_t from, std::uint32_t members) {
  auto to = static_cast<std::uint32_t>(channels_.size());
  if (unused_.empty()) {
    channels_.push_back(std::make_unique<BurstChannel>(burst(from)));
    members_.push_back(0);
    alike_in_.push_back(0);
  } else {
    to = unused_.back();
    unused_.pop_back();
    burst(to) = burst(from);
  }
  burst(to).retag([&](std::uint32_t tag) { return add_part(tag >> kPartBits, to); });
  members_[from] -= members;
  members_[to] = members;
  return to;
}

void DramMemory::collect(DramChannel& channel) {
  for (const DramChannel::Done& done : channel.done) {
    Request& request = requests_[done.tag >> kPartBits];
    request.parts[done.tag & ((1U << kPartBits) - 1)] = kDecided;
    --request.undecided;
    request.end_ps = std::max(request.end_ps, done.end_ps);
  }
  channel.done.clear();
}

MemoryTiming::Answer DramMemory::ask(Id id, TimePs now) {
  Request& request = requests_[id];
  if (request.undecided != 0)
    for (std::size_t part = 0; part < request.parts.size(); ++part)
      if (const std::uint32_t channel = request.parts[part]; channel != kDecided) {
        channels_[channel]->run_until(now);
        collect(*channels_[channel]);
      }
  if (request.undecided == 0) return {true, request.end_ps};
  TimePs again = request.end_ps;
  for (const std::uint32_t channel : request.parts)
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

DramTime DramMemory::time(std::uint32_t channel) const {
  DramTime time = channels_[of_[channel]]->time();
  const Own& own = own_[channel];
  if (!own.any) return time;
  const bool since = accesses(time) != own.accesses;
  time += own.more;
  if (since) time.lost(DramLoss::no_request) += own.bus_end_less_fs;
  return time;
}

/// Channels in equal states are one from now on.
void DramMemory::join(TimePs now) {
  visits_since_join_ = 0;
  states_.clear();
  described_.clear();
  for (std::uint32_t k = 0; k < channels_.size(); ++k) {
    if (members_[k] == 0) continue;
    const std::size_t begin = states_.size();
    burst(k).describe(now, kPartBits, states_);
    if (!channels_[k]->done.empty()) collect(*channels_[k]);
    described_.push_back({hash(states_, begin), k, begin, states_.size()});
  }
  std::sort(described_.begin(), described_.end(), [](const Described& a, const Described& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.channel < b.channel;
  });
  const auto state = [&](std::size_t at) { return states_.begin() + static_cast<std::ptrdiff_t>(at); };
  joins_.clear();
  const Described* first = described_.data();
  for (const Described& each : described_) {
    if (each.hash != first->hash) first = &each;
    if (&each != first &&
        std::equal(state(each.begin), state(each.end), state(first->begin), state(first->end)))
      joins_.emplace_back(each.channel, first->channel);
  }
  for (const auto& [from, other] : joins_) join(from, other);
}

void DramMemory::join(std::uint32_t from, std::uint32_t other) {
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
  // Its part of what is under way is the same as the other's.
  burst(from).retag([&](std::uint32_t tag) {
    Request& request = requests_[tag >> kPartBits];
    request.parts[tag & ((1U << kPartBits) - 1)] = kDecided;
    --request.undecided;
    return tag;
  });
  members_[other] += members_[from];
  members_[from] = 0;
  unused_.push_back(from);
}

void DramMemory::run_until(TimePs until) {
  for (std::size_t k = 0; k < channels_.size(); ++k)
    if (members_[k] != 0) {
      channels_[k]->run_until(until);
      collect(*channels_[k]);
    }
}

}  // namespace wafertlm
