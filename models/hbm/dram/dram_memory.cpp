// SPDX-License-Identifier: Apache-2.0
#include "models/hbm/dram/dram_memory.h"

#include <algorithm>
#include <stdexcept>

#include "models/hbm/dram/burst_channel.h"
#include "models/hbm/dram/command_channel.h"

namespace wafertlm {
namespace {

constexpr unsigned kPartBits = 16;

}  // namespace

DramMemory::DramMemory(const DramParams& params) : params_(params), map_(params.timing, params.map) {
  for (std::uint32_t k = 0; k < map_.channels(); ++k)
    if (params.level == DramLevel::burst)
      channels_.push_back(std::make_unique<BurstChannel>(params.timing, params.queue));
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
  std::uint64_t first = access.address / map_.access_bytes();
  const std::uint64_t end = (access.address + access.bytes - 1) / map_.access_bytes() + 1;
  while (first < end) {
    const std::uint64_t in_piece = map_.accesses_per_piece() - (first & (map_.accesses_per_piece() - 1));
    AddressMap::Place place = map_.place(first);
    place.visit.write = access.write;
    place.visit.accesses = static_cast<std::uint32_t>(std::min(in_piece, end - first));
    first += place.visit.accesses;
    const auto part = static_cast<std::uint32_t>(request.parts.size());
    if (part >> kPartBits != 0) throw std::length_error("an access to a memory in more than 65,536 pieces");
    request.parts.push_back(place.channel);
    ++request.undecided;
    channels_[place.channel]->push(place.visit, id << kPartBits | part, now);
    collect(*channels_[place.channel]);
  }
  return id;
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
