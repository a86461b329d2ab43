// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/scheduled/matching.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <tuple>
#include <utility>

namespace wafertlm {
namespace {

/// Without a pattern, but always the same.
std::uint32_t scattered(std::uint32_t a, std::uint32_t b) {
  std::uint32_t mixed = a * 0x9E3779B1U ^ (b + 0x7F4A7C15U) * 0x85EBCA6BU;
  mixed ^= mixed >> 15;
  return mixed * 0x2C1B3C6DU;
}

/// Links that get free and pieces that arrive, in time.
class LinkClock {
 public:
  LinkClock(const RankLinks& links, const LinkTimes& times)
      : links_(links), times_(times), busy_(links.links.size(), false), asked_(links.links.size(), false) {}

  /// match(link, now): the piece that goes over the link now, or kNoPiece. arrives(link, piece). Ends when
  /// nothing is under way.
  template <typename Match, typename Arrives>
  void run(const Match& match, const Arrives& arrives) {
    for (std::uint32_t link = 0; link < busy_.size(); ++link) ask(link);
    match_asked(match, 0);
    while (!events_.empty()) {
      const TimePs now = events_.top().time;
      while (!events_.empty() && events_.top().time == now) {
        const Event event = events_.top();
        events_.pop();
        if (event.piece == kNoPiece) {
          busy_[event.link] = false;
          ask(event.link);
        } else {
          arrives(event.link, event.piece);
          for (const std::uint32_t link : links_.out[links_.links[event.link].to]) ask(link);
        }
      }
      match_asked(match, now);
    }
  }
  const std::vector<PlannedSend>& sends() const { return sends_; }

  static constexpr std::uint32_t kNoPiece = ~std::uint32_t{0};

 private:
  struct Event {
    TimePs time;
    std::uint32_t link, piece;  ///< kNoPiece: the link is free
    bool operator<(const Event& other) const {
      return std::tie(time, link, piece) > std::tie(other.time, other.link, other.piece);
    }
  };
  void ask(std::uint32_t link) {
    if (busy_[link] || asked_[link]) return;
    asked_[link] = true;
    open_.push_back(link);
  }
  /// Fast links first.
  template <typename Match>
  void match_asked(const Match& match, TimePs now) {
    std::sort(open_.begin(), open_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(times_.hops[a], a) < std::tie(times_.hops[b], b);
    });
    for (const std::uint32_t link : open_) {
      asked_[link] = false;
      const std::uint32_t piece = match(link, now);
      if (piece == kNoPiece) continue;
      busy_[link] = true;
      sends_.push_back({now, link, piece});
      events_.push({now + times_.slots[link], link, kNoPiece});
      events_.push({now + times_.hops[link], link, piece});
    }
    open_.clear();
  }

  const RankLinks& links_;
  const LinkTimes& times_;
  std::vector<bool> busy_, asked_;
  std::vector<std::uint32_t> open_;
  std::priority_queue<Event> events_;
  std::vector<PlannedSend> sends_;
};

/// Pieces of a rank, a bit each.
using Bits = std::vector<std::uint64_t>;
bool has_bit(const Bits& bits, std::uint32_t bit) { return (bits[bit / 64] >> bit % 64 & 1U) != 0; }
void set_bit(Bits& bits, std::uint32_t bit) { bits[bit / 64] |= std::uint64_t{1} << bit % 64; }

class Spread {
 public:
  Spread(const RankLinks& links, const LinkTimes& times, const std::vector<std::uint32_t>& owners)
      : links_(links),
        times_(times),
        pieces_(owners.size()),
        has_(links.ranks, Bits((owners.size() + 63) / 64, 0)),
        gets_(has_),
        missing_(links.ranks, pieces_),
        ranks_with_(owners.size(), 1) {
    for (std::uint32_t piece = 0; piece < owners.size(); ++piece) {
      set_bit(has_[owners[piece]], piece);
      set_bit(gets_[owners[piece]], piece);
      --missing_[owners[piece]];
    }
  }

  std::vector<PlannedSend> run() {
    std::vector<PlannedSend> sends;
    for (bool done = false; !done;) {
      LinkClock clock(links_, times_);
      clock.run(
          [&](std::uint32_t link, TimePs) { return match(link); },
          [&](std::uint32_t link, std::uint32_t piece) { set_bit(has_[links_.links[link].to], piece); });
      // What slow links have left to others that did not bring it follows.
      const TimePs after = sends.empty() ? 0 : sends.back().start;
      for (PlannedSend send : clock.sends()) {
        send.start += after;
        sends.push_back(send);
      }
      done = std::all_of(missing_.begin(), missing_.end(), [](std::size_t missing) { return missing == 0; });
      leaves_ = false;
    }
    return sends;
  }

 private:
  std::uint32_t match(std::uint32_t link) {
    const auto& [from, to, rate, latency] = links_.links[link];
    if (missing_[to] == 0) return LinkClock::kNoPiece;
    const bool is_late = leaves_ && others_are_sooner(link);
    std::uint32_t best = LinkClock::kNoPiece;
    std::pair<std::uint32_t, std::uint32_t> least{~0U, ~0U};
    for (std::size_t word = 0; word < has_[from].size(); ++word)
      for (std::uint64_t open = has_[from][word] & ~gets_[to][word]; open != 0; open &= open - 1) {
        const auto piece =
            static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(__builtin_ctzll(open)));
        const std::pair rank{ranks_with_[piece], scattered(piece, to)};
        if (rank >= least || (is_late && others_get(link, piece))) continue;
        least = rank;
        best = piece;
      }
    if (best == LinkClock::kNoPiece) return best;
    set_bit(gets_[to], best);
    ++ranks_with_[best];
    --missing_[to];
    return best;
  }
  /// All that is missing could come over the receiver's other links before this one has brought a piece.
  bool others_are_sooner(std::uint32_t link) const {
    double rate = 0;
    TimePs soonest = kNever;
    for (const std::uint32_t other : links_.in[links_.links[link].to]) {
      if (other == link) continue;
      rate += 1 / static_cast<double>(times_.slots[other]);
      soonest = std::min(soonest, times_.hops[other]);
    }
    return rate > 0 &&
           static_cast<double>(missing_[links_.links[link].to]) / rate + static_cast<double>(soonest) <
               static_cast<double>(times_.hops[link]);
  }
  bool others_get(std::uint32_t link, std::uint32_t piece) const {
    const auto& in = links_.in[links_.links[link].to];
    return std::any_of(in.begin(), in.end(), [&](std::uint32_t other) {
      return other != link && has_bit(gets_[links_.links[other].from], piece);
    });
  }

  const RankLinks& links_;
  const LinkTimes& times_;
  std::size_t pieces_;
  std::vector<Bits> has_, gets_;  // by rank: what is there; also what is under way
  std::vector<std::size_t> missing_;
  std::vector<std::uint32_t> ranks_with_;  // by piece, as in gets_
  bool leaves_ = true;                     // slow links leave pieces to others
};

/// The time from every rank to `to`.
std::vector<TimePs> distances_to(std::uint32_t to, const RankLinks& links, const LinkTimes& times) {
  std::vector<TimePs> distance(links.ranks, kNever);
  using Reached = std::pair<TimePs, std::uint32_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
  open.emplace(distance[to] = 0, to);
  while (!open.empty()) {
    const auto [at, rank] = open.top();
    open.pop();
    if (at > distance[rank]) continue;
    for (const std::uint32_t link : links.in[rank]) {
      const std::uint32_t before = links.links[link].from;
      if (at + times.hops[link] >= distance[before]) continue;
      distance[before] = at + times.hops[link];
      open.emplace(distance[before], before);
    }
  }
  return distance;
}

}  // namespace

std::vector<PlannedSend> match_spread(const RankLinks& links, const LinkTimes& times,
                                      const std::vector<std::uint32_t>& owners) {
  return Spread(links, times, owners).run();
}

std::vector<PlannedSend> match_exchange(const RankLinks& links, const LinkTimes& times,
                                        std::uint32_t pieces) {
  const std::uint32_t ranks = links.ranks;
  std::vector<std::vector<TimePs>> distance;  // by destination and rank
  for (std::uint32_t to = 0; to < ranks; ++to) distance.push_back(distances_to(to, links, times));
  std::vector<std::deque<std::uint32_t>> waiting(std::size_t{ranks} * ranks);  // by rank and destination
  const auto to_of = [&](std::uint32_t piece) { return piece / pieces % ranks; };
  for (std::uint32_t piece = 0; piece < ranks * ranks * pieces; ++piece)
    if (const std::uint32_t from = piece / pieces / ranks; from != to_of(piece))
      waiting[std::size_t{from} * ranks + to_of(piece)].push_back(piece);
  LinkClock clock(links, times);
  const auto match = [&](std::uint32_t link, TimePs) {
    const auto& [from, next, rate, latency] = links.links[link];
    std::deque<std::uint32_t>* best = nullptr;
    std::tuple<TimePs, std::size_t, std::uint32_t> most{};
    for (std::uint32_t to = 0; to < ranks; ++to) {
      auto& open = waiting[std::size_t{from} * ranks + to];
      const TimePs here = distance[to][from], there = distance[to][next];
      if (open.empty() || there >= here || there + times.hops[link] > 2 * here) continue;
      const std::tuple priority{there, open.size(), scattered(to, link)};
      if (best && priority <= most) continue;
      best = &open;
      most = priority;
    }
    if (!best) return LinkClock::kNoPiece;
    const std::uint32_t piece = best->front();
    best->pop_front();
    return piece;
  };
  clock.run(match, [&](std::uint32_t link, std::uint32_t piece) {
    const std::uint32_t at = links.links[link].to;
    if (at != to_of(piece)) waiting[std::size_t{at} * ranks + to_of(piece)].push_back(piece);
  });
  return clock.sends();
}

RankLinks turned(RankLinks links) {
  for (RankLinks::Link& link : links.links) std::swap(link.from, link.to);
  std::swap(links.out, links.in);
  std::swap(links.ports_out, links.ports_in);
  return links;
}

std::vector<PlannedSend> backwards(std::vector<PlannedSend> sends, const LinkTimes& times) {
  TimePs end = 0;
  for (const PlannedSend& send : sends) end = std::max(end, send.start + times.hops[send.link]);
  for (PlannedSend& send : sends) send.start = end - send.start - times.hops[send.link];
  std::reverse(sends.begin(), sends.end());
  sort_by_start(sends);
  return sends;
}

}  // namespace wafertlm
