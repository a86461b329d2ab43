// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tlm/acceleration/episode_observer.h"
#include "tlm/kernel/units.h"
#include "tlm/program/program.h"

namespace wafertlm {

/// An operation that begins within an episode, without what differs between equal episodes: its time counts
/// from the episode's start, numbers of collectives and tags are known by their order.
struct EpisodeInput {
  enum class Kind : std::uint8_t { collective, send, receive };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  TimePs after_ps = 0;
  NpuId at{};
  Kind kind = Kind::collective;
  ClassId traffic_class{};
  /// A collective's first operation; of a receive its send.
  std::uint32_t belongs_to = kNone;
  /// So many collectives (messages) of the episode have a smaller number (tag).
  std::uint32_t place = 0;
  NpuId peer{};                         ///< of a message
  std::uint64_t bytes = 0;              ///< the same
  const StepSource* program = nullptr;  ///< of a collective
  bool is_at_once = false;              ///< in the same wake-up as the one before
  std::vector<NpuId> waiting = {};      ///< who had begun and only waited for this

  bool operator<(const EpisodeInput& other) const { return tie() < other.tie(); }

 private:
  std::tuple<TimePs, NpuId, Kind, ClassId, std::uint32_t, std::uint32_t, NpuId, std::uint64_t,
             const StepSource*, bool, const std::vector<NpuId>&>
  tie() const {
    return {after_ps, at, kind, traffic_class, belongs_to, place, peer, bytes, program, is_at_once, waiting};
  }
};

/// An operation has ended: the number of those of the episode.
struct EpisodeOutput {
  TimePs after_ps = 0;
  std::uint32_t operation = 0;

  bool operator==(const EpisodeOutput& other) const {
    return after_ps == other.after_ps && operation == other.operation;
  }
};

/// What became of all when an episode was over.
struct EpisodeEnd {
  using Growth = std::vector<std::pair<std::uint32_t, std::uint64_t>>;  // of counts that have grown

  Growth growth;
  std::uint64_t events = 0;  ///< of the scheduler, that it took
  std::shared_ptr<const EpisodeSight> sight = {};
  /// The number of the state that the next episode finds, by the time between them; from `settled_ps` on it
  /// does not depend on that any more.
  std::map<TimePs, std::uint32_t> states;
  TimePs settled_ps = kNever;
  std::uint32_t settled = 0;

  std::optional<std::uint32_t> state_after(TimePs gap_ps) const {
    if (gap_ps >= settled_ps) return settled;
    const auto found = states.find(gap_ps);
    return found == states.end() ? std::nullopt : std::optional(found->second);
  }
};

/// A course of episodes, from the same state with the same inputs, up to a moment: what came out since the
/// last input, and the courses that go on with another one.
struct EpisodeNode {
  std::vector<EpisodeOutput> outputs;
  TimePs known_ps = 0;  ///< the outputs are all there are without another input, up to this time
  std::map<EpisodeInput, std::unique_ptr<EpisodeNode>> next;
  std::unique_ptr<EpisodeEnd> end;  ///< without another input it was over

  EpisodeNode() = default;
  /// Not by recursion: a course may be long.
  ~EpisodeNode() {
    std::vector<std::unique_ptr<EpisodeNode>> left;
    const auto take = [&left](EpisodeNode& of) {
      for (auto& [input, node] : of.next) left.push_back(std::move(node));
      of.next.clear();
    };
    for (take(*this); !left.empty();) {
      const std::unique_ptr<EpisodeNode> node = std::move(left.back());
      left.pop_back();
      take(*node);
    }
  }
  EpisodeNode(const EpisodeNode&) = delete;
  EpisodeNode& operator=(const EpisodeNode&) = delete;
};

}  // namespace wafertlm
