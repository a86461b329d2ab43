// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/custom/order_proof.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace wafertlm {
namespace {

using Kind = CustomOperation::Kind;

enum class Access : std::uint8_t { read, write, add };

const char* verb(Access access) {
  return access == Access::read ? "reads" : access == Access::write ? "writes" : "adds into";
}

/// An operation of a thread, and what it comes directly after.
struct Event {
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::uint32_t rank = 0, thread = 0;
  const CustomOperation* operation = nullptr;
  std::size_t before[3] = {kNone, kNone, kNone};  // in its thread; awaited; the send of what it receives
  std::uint32_t chain = 0, position = 0;          // chains of a rank: events one after the other
};

/// All events in an order in which they can happen.
class EventOrder {
 public:
  explicit EventOrder(const CustomAlgorithm& algorithm) : algorithm_(algorithm) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> live;
    for (std::uint32_t rank = 0; rank < algorithm.ranks.size(); ++rank) {
      number_messages(rank);
      done_.emplace_back(algorithm.ranks[rank].threads.size());
      for (std::uint32_t thread = 0; thread < done_.back().size(); ++thread) live.emplace_back(rank, thread);
    }
    tails_.resize(algorithm.ranks.size());
    for (std::size_t before = Event::kNone; before != events_.size();) {
      before = events_.size();
      for (const auto& [rank, thread] : live) advance(rank, thread);
    }
  }
  const std::vector<Event>& events() const { return events_; }
  std::size_t chains(std::uint32_t rank) const { return tails_[rank].size(); }

 private:
  void number_messages(std::uint32_t rank) {
    std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::uint32_t> counts;
    for (const CustomThread& thread : algorithm_.ranks[rank].threads)
      for (const CustomOperation& operation : thread.operations)
        if (operation.kind == Kind::send || operation.receives())
          number_[&operation] = counts[{operation.kind == Kind::send, operation.peer, operation.channel}]++;
  }

  void advance(std::uint32_t rank, std::uint32_t thread) {
    const auto& operations = algorithm_.ranks[rank].threads[thread].operations;
    std::vector<std::size_t>& done = done_[rank][thread];
    while (done.size() < operations.size()) {
      const CustomOperation& operation = operations[done.size()];
      Event event{rank, thread, &operation};
      if (!done.empty()) event.before[0] = done.back();
      if (operation.after_thread != Step::kNone && operation.after_count != 0) {
        const std::vector<std::size_t>& other = done_[rank][operation.after_thread];
        if (other.size() < operation.after_count) return;
        event.before[1] = other[operation.after_count - 1];
      }
      if (operation.receives()) {
        const auto sent = sent_.find({operation.peer, rank, operation.channel, number_.at(&operation)});
        if (sent == sent_.end()) return;
        event.before[2] = sent->second;
      } else if (operation.kind == Kind::send) {
        sent_[{rank, operation.peer, operation.channel, number_.at(&operation)}] = events_.size();
      }
      join_chain(event);
      done.push_back(events_.size());
      events_.push_back(event);
    }
  }

  /// That of an event before it on its rank, which nothing else continues; few chains make short clocks.
  void join_chain(Event& event) {
    std::vector<std::size_t>& tails = tails_[event.rank];
    for (const std::size_t before : {event.before[0], event.before[1]})
      if (before != Event::kNone && tails[events_[before].chain] == before) {
        event.chain = events_[before].chain;
        event.position = events_[before].position + 1;
        tails[event.chain] = events_.size();
        return;
      }
    event.chain = static_cast<std::uint32_t>(tails.size());
    tails.push_back(events_.size());
  }

  const CustomAlgorithm& algorithm_;
  std::vector<Event> events_;
  std::unordered_map<const CustomOperation*, std::uint32_t> number_;  // of a message on its channel
  std::vector<std::vector<std::vector<std::size_t>>> done_;           // by rank and thread
  std::vector<std::vector<std::size_t>> tails_;                       // by rank and chain: its last event
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> sent_;
};

/// The accesses of one rank's events to its chunks. A clock says how many events of each of its chains have
/// happened; none: null. Clocks are shared until they differ.
class RankAccesses {
 public:
  RankAccesses(const CustomAlgorithm& algorithm, const EventOrder& order, std::uint32_t rank)
      : algorithm_(algorithm), events_(order.events()), rank_(rank), chains_(order.chains(rank)) {}

  void prove() {
    std::vector<Clock> clocks;
    clocks.reserve(events_.size());
    for (const Event& event : events_) {
      Clock clock;
      for (const std::size_t before : event.before)
        if (before != Event::kNone) clock = later(clock, clocks[before]);
      if (event.rank == rank_) {
        check(clocks.size(), clock);
        auto own = clock ? *clock : std::vector<std::uint32_t>(chains_);
        own[event.chain] = event.position + 1;
        clock = std::make_shared<const std::vector<std::uint32_t>>(std::move(own));
      }
      clocks.push_back(std::move(clock));
    }
  }

 private:
  using Clock = std::shared_ptr<const std::vector<std::uint32_t>>;
  struct Place {
    std::size_t written = Event::kNone;
    Access how{};
    std::vector<std::size_t> reads;  // since then
  };

  static Clock later(const Clock& a, const Clock& b) {
    if (!a || a == b) return b;
    if (!b) return a;
    std::vector<std::uint32_t> both = *a;
    for (std::size_t i = 0; i < both.size(); ++i) both[i] = std::max(both[i], (*b)[i]);
    return std::make_shared<const std::vector<std::uint32_t>>(std::move(both));
  }

  void check(std::size_t event, const Clock& clock) {
    const CustomOperation& operation = *events_[event].operation;
    const bool adds = operation.kind == Kind::receive_reduce || operation.kind == Kind::reduce;
    if (operation.kind != Kind::receive_reduce)  // what it adds to is read and written at `to`
      for (std::uint32_t i = 0; i < operation.from.count; ++i)
        access(event, operation.from, i, Access::read, clock);
    for (std::uint32_t i = 0; i < operation.to.count; ++i)
      if (adds || operation.kind == Kind::receive || !is_same(operation, i))
        access(event, operation.to, i, adds ? Access::add : Access::write, clock);
  }

  /// A copy onto itself changes nothing.
  bool is_same(const CustomOperation& operation, std::uint32_t i) const {
    return algorithm_.place_of(rank_, operation.from.buffer, operation.from.first + i) ==
           algorithm_.place_of(rank_, operation.to.buffer, operation.to.first + i);
  }

  void access(std::size_t event, const CustomChunks& chunks, std::uint32_t i, Access how,
              const Clock& clock) {
    Place& place = places_[algorithm_.place_of(rank_, chunks.buffer, chunks.first + i)];
    const std::string name = fmt::format("{}[{}]", "ios"[static_cast<int>(chunks.buffer)], chunks.first + i);
    const auto require = [&](std::size_t earlier, Access its) {
      const Event& other = events_[earlier];
      if (earlier == event || (clock && (*clock)[other.chain] > other.position)) return;
      refuse({earlier, its}, {event, how}, name);
    };
    if (place.written != Event::kNone) require(place.written, place.how);
    if (how == Access::read) {
      place.reads.push_back(event);
      return;
    }
    for (const std::size_t read : place.reads) require(read, Access::read);
    place.written = event;
    place.how = how;
    place.reads.clear();
  }

  [[noreturn]] void refuse(std::pair<std::size_t, Access> first, std::pair<std::size_t, Access> second,
                           const std::string& name) const {
    if (events_[first.first].thread > events_[second.first].thread) std::swap(first, second);
    const Event &a = events_[first.first], &b = events_[second.first];
    const std::string at = algorithm_.place(rank_, a.thread, *a.operation),
                      other = algorithm_.step_name(rank_, b.thread, *b.operation);
    const std::string line = b.operation->line == 0 ? "" : fmt::format(" (line {})", b.operation->line);
    const std::string what =
        first.second == Access::add && second.second == Access::add
            ? fmt::format("and {}{} both add into {}", other, line, name)
            : fmt::format("{} {} and {}{} {} it", verb(first.second), name, other, line, verb(second.second));
    throw std::invalid_argument(
        fmt::format("{} {} without an order: what comes out depends on the timing", at, what));
  }

  const CustomAlgorithm& algorithm_;
  const std::vector<Event>& events_;
  std::uint32_t rank_;
  std::size_t chains_;
  std::unordered_map<std::uint64_t, Place> places_;
};

}  // namespace

void prove_order(const CustomAlgorithm& algorithm) {
  const EventOrder order(algorithm);
  for (std::uint32_t rank = 0; rank < algorithm.ranks.size(); ++rank)
    if (order.chains(rank) > 1) RankAccesses(algorithm, order, rank).prove();
}

}  // namespace wafertlm
