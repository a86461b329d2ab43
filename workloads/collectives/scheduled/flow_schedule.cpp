// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/scheduled/flow_schedule.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "workloads/collectives/blocks.h"

namespace wafertlm {
namespace {

/// A part of a block on one link of its path.
struct Crossing {
  std::uint32_t part = 0, hop = 0, link = 0;
  TimePs start = 0;  ///< of its first chunk
};

/// Slots of a period, by link; as many as fit, at least what crosses the link.
class PeriodSlots {
 public:
  PeriodSlots(const FlowPaths& paths, const std::vector<TimePs>& slots)
      : slots_(slots), taken_(slots.size()) {
    for (std::size_t link = 0; link < slots.size(); ++link)
      period_ = std::max(period_, slots[link] * paths.loads[link]);
    for (std::size_t link = 0; link < slots.size(); ++link)
      taken_[link].assign(static_cast<std::size_t>(period_ / slots[link]), false);
  }

  TimePs period() const { return period_; }
  /// The start of the first free one that begins at `ready` or later.
  TimePs take(std::uint32_t link, TimePs ready) {
    std::vector<bool>& taken = taken_[link];
    TimePs begins = ready / period_ * period_;
    auto slot = static_cast<std::size_t>((ready - begins + slots_[link] - 1) / slots_[link]);
    for (;; ++slot) {
      if (slot >= taken.size()) {
        slot = 0;
        begins += period_;
      }
      if (taken[slot]) continue;
      taken[slot] = true;
      return begins + slot * slots_[link];
    }
  }

 private:
  const std::vector<TimePs>& slots_;
  std::vector<std::vector<bool>> taken_;
  TimePs period_ = 1;
};

/// In the order in which they may begin; of several first the one with the longest way to go.
std::vector<Crossing> crossings_of(const FlowPaths& paths, PeriodSlots& slots,
                                   const std::vector<TimePs>& hops) {
  struct Ready {
    TimePs ready;
    std::uint32_t hops_left, part, hop;
    bool operator<(const Ready& other) const {  // the first one is on top
      return std::tuple(ready, ~hops_left, part) > std::tuple(other.ready, ~other.hops_left, other.part);
    }
  };
  std::priority_queue<Ready> open;
  const auto left = [&](std::uint32_t part, std::uint32_t hop) {
    return static_cast<std::uint32_t>(paths.paths[part].size()) - hop;
  };
  for (std::uint32_t part = 0; part < paths.paths.size(); ++part)
    if (!paths.paths[part].empty()) open.push({0, left(part, 0), part, 0});
  std::vector<Crossing> crossings;
  while (!open.empty()) {
    const Ready next = open.top();
    open.pop();
    const std::uint32_t link = paths.paths[next.part][next.hop];
    const TimePs start = slots.take(link, next.ready);
    crossings.push_back({next.part, next.hop, link, start});
    if (left(next.part, next.hop) > 1)
      open.push({start + hops[link], left(next.part, next.hop + 1), next.part, next.hop + 1});
  }
  return crossings;
}

/// Where in the buffers of its ranks a part lies.
class Places {
 public:
  Places(const RankLinks& links, const FlowPaths& paths, std::uint64_t bytes)
      : links_(links),
        paths_(paths),
        bytes_(bytes),
        blocks_(bytes, links.ranks),
        first_scratch_(paths.paths.size()) {
    std::vector<std::uint64_t> relayed(links.ranks, 0);
    for (std::size_t part = 0; part < paths.paths.size(); ++part)
      for (std::size_t hop = 0; hop + 1 < paths.paths[part].size(); ++hop)
        first_scratch_[part].push_back(relayed[links.links[paths.paths[part][hop]].to]++);
    longest_ = Blocks(blocks_.bytes(0), paths.parts).bytes(0);
    most_relayed_ = *std::max_element(relayed.begin(), relayed.end());
  }

  std::uint64_t scratch_bytes() const { return most_relayed_ * longest_; }
  Blocks part_of_block(std::uint32_t part) const { return {blocks_.bytes(to(part)), paths_.parts}; }
  std::uint64_t bytes(std::uint32_t part) const { return part_of_block(part).bytes(part % paths_.parts); }
  /// At the sender of a hop.
  std::uint64_t offset(std::uint32_t part, std::size_t hop) const {
    if (hop == 0) return blocks_.offset(to(part)) + part_of_block(part).offset(part % paths_.parts);
    if (hop == paths_.paths[part].size())
      return bytes_ + from(part) * blocks_.bytes(to(part)) + part_of_block(part).offset(part % paths_.parts);
    return bytes_ + links_.ranks * blocks_.bytes(0) + first_scratch_[part][hop - 1] * longest_;
  }

 private:
  std::uint32_t from(std::uint32_t part) const { return part / paths_.parts / links_.ranks; }
  std::uint32_t to(std::uint32_t part) const { return part / paths_.parts % links_.ranks; }

  const RankLinks& links_;
  const FlowPaths& paths_;
  std::uint64_t bytes_;
  Blocks blocks_;
  std::vector<std::vector<std::uint64_t>>
      first_scratch_;  // by part and hop: which one of those that the rank passes on
  std::uint64_t longest_ = 0, most_relayed_ = 0;
};

}  // namespace

FlowSchedule flow_schedule(const RankLinks& links, const FlowPaths& paths, std::uint64_t bytes,
                           std::uint32_t chunks, const FabricTraits& fabric) {
  const Places places(links, paths, bytes);
  const std::uint64_t longest =
      Blocks(Blocks(Blocks(bytes, links.ranks).bytes(0), paths.parts).bytes(0), chunks).bytes(0);
  std::vector<TimePs> slots, hops;
  for (const RankLinks::Link& link : links.links) {
    slots.push_back(slot_ps(fabric, link, longest, false));
    hops.push_back(hop_ps(fabric, link, longest, false));
  }
  PeriodSlots free(paths, slots);
  std::vector<Crossing> crossings = crossings_of(paths, free, hops);

  struct Send {
    TimePs start;
    std::uint32_t crossing, chunk;
  };
  std::vector<Send> sends;
  sends.reserve(crossings.size() * chunks);
  for (std::uint32_t number = 0; number < crossings.size(); ++number)
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk)
      sends.push_back({crossings[number].start + chunk * free.period(), number, chunk});
  std::sort(sends.begin(), sends.end(), [](const Send& a, const Send& b) {
    return std::tuple(a.start, a.crossing, a.chunk) < std::tuple(b.start, b.crossing, b.chunk);
  });
  FlowSchedule schedule{{links, {}}, places.scratch_bytes()};
  schedule.list.transfers.reserve(sends.size());
  std::vector<std::uint32_t> last(paths.paths.size() * chunks, Transfer::kNone);  // by part and chunk
  for (const Send& send : sends) {
    const Crossing& crossing = crossings[send.crossing];
    const Blocks pieces(places.bytes(crossing.part), chunks);
    if (pieces.bytes(send.chunk) == 0) continue;
    std::uint32_t& before = last[std::size_t{crossing.part} * chunks + send.chunk];
    Transfer transfer;
    transfer.link = crossing.link;
    transfer.sends_after = before;
    transfer.from_offset = places.offset(crossing.part, crossing.hop) + pieces.offset(send.chunk);
    transfer.to_offset = places.offset(crossing.part, crossing.hop + 1) + pieces.offset(send.chunk);
    transfer.bytes = pieces.bytes(send.chunk);
    before = static_cast<std::uint32_t>(schedule.list.transfers.size());
    schedule.list.transfers.push_back(transfer);
  }
  return schedule;
}

}  // namespace wafertlm
