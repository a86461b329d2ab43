// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/dram_memory.h"

#include <algorithm>
#include <stdexcept>

#include "models/hbm/dram/command_channel.h"

namespace wafertlm {
namespace {

constexpr unsigned kPartBits = 16;

}  // namespace

DramMemory::DramMemory(const DramParams& params)
    : params_(params), map_(params.timing, params.map), burst_(params.timing, params.queue) {
  for (std::uint32_t k = 0; k < map_.channels(); ++k)
    if (params.level == DramLevel::burst)
      channels_.push_back(std::make_unique<BurstChannel>(burst_, params.shortcuts));
    else
      channels_.push_back(std::make_unique<CommandChannel>(params.timing, params.queue));
}

MemoryTiming::Id DramMemory::submit(const MemoryAccess& access, TimePs now) {
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
  if (params_.level == DramLevel::burst)
    cut<BurstChannel>(access, id, now);
  else
    cut<CommandChannel>(access, id, now);
  return id;
}

/// Into row visits. What the next one needs is on its way while this one is decided.
template <typename Channel>
void DramMemory::cut(const MemoryAccess& access, Id id, TimePs now) {
  std::uint64_t first = access.address / map_.access_bytes();
  const std::uint64_t end = (access.address + access.bytes - 1) / map_.access_bytes() + 1;
  AddressMap::Walk walk(map_, first);
  AddressMap::Place place = walk.place();
  Request& request = requests_[id];
  while (true) {
    auto& channel = static_cast<Channel&>(*channels_[place.channel]);
    const std::uint32_t number = place.channel;
    RowVisit visit = place.visit;
    visit.write = access.write;
    const std::uint64_t in_piece = map_.accesses_per_piece() - (first & (map_.accesses_per_piece() - 1));
    visit.accesses = static_cast<std::uint32_t>(std::min(in_piece, end - first));
    first += visit.accesses;
    if (first != end) {
      walk.next_piece();
      place = walk.place();
      static_cast<Channel&>(*channels_[place.channel]).prefetch(place.visit);
    }
    const auto part = static_cast<std::uint32_t>(request.parts.size());
    if (const TimePs done = channel.push(visit, id << kPartBits | part, now); done != kNever) {
      request.end_ps = std::max(request.end_ps, done);
    } else {
      if (part >> kPartBits != 0) throw std::length_error("an access to a memory in more than 65,536 pieces");
      request.parts.push_back(number);
      ++request.undecided;
    }
    if (!channel.done.empty()) collect(channel);
    if (first == end) return;
  }
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

void DramMemory::end(Id id) { free_.push_back(id); }

void DramMemory::run_until(TimePs until) {
  for (const auto& channel : channels_) {
    channel->run_until(until);
    collect(*channel);
  }
}

}  // namespace wafertlm
