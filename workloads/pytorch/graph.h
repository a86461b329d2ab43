// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workloads/pytorch/timeline.h"

namespace wafertlm::pytorch {

/// A stretch of work on a thread or a stream, as it was measured. What it had to wait for does not count.
struct Item {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::int64_t start_ns = 0, end_ns = 0;
  std::uint32_t name = 0;
  std::uint32_t before = kNone;     ///< the item before on the same thread or stream
  std::uint32_t communication = 0;  ///< 1 + its index, if it is one; 0: none
  std::uint16_t unit = 0;           ///< thread or stream, from 1
  bool on_device = false;
  bool is_call = false;  ///< a call that launches or synchronises
};

struct GraphOptions {
  /// A thread that did nothing for longer waited for another thread; shorter gaps are its own time.
  std::int64_t thread_gap_ns = 100'000;
};

/// Rule of GraphSummary::launches.
constexpr const char* kLaunchedBefore = "launched before the trace begins";

/// What was found, and what was not.
struct GraphSummary {
  std::uint64_t operators = 0, kernels = 0, copies = 0;
  std::uint64_t collectives = 0, messages = 0;
  std::uint64_t further_kernels = 0;    ///< of communications of several kernels, which became one node
  Tally events;                         ///< of the Kineto trace
  Tally launches;                       ///< by device events: used is one whose call was found
  Tally communications;                 ///< that a trace says: used is one that a kernel did
  std::uint64_t repeated_launches = 0;  ///< calls with the correlation of another
  std::uint64_t stream_waits = 0, inferred_stream_waits = 0;
  std::uint64_t synchronisations = 0, inferred_synchronisations = 0;
  std::uint64_t thread_waits = 0;
  std::uint64_t contradictions = 0;  ///< dependencies that the times contradict: left out
  std::uint64_t shortened = 0;       ///< events that the next one overlaps by the clock's resolution
  Counts not_launched;               ///< device events without launch, by name
  Counts unknown_kernels;            ///< of communication whose size is not told: left out
};

/// The graph of a rank: items in an order in which parents come first.
struct Graph {
  Names names;
  std::vector<Communication> communications;
  std::vector<std::string> units;  ///< names, from unit 1 on
  std::deque<Item> items;
  std::vector<std::uint32_t> order;  ///< of the items
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      edges;                              ///< (child, parent) beside Item::before; sorted
  std::int64_t start_ns = 0, end_ns = 0;  ///< of all that was measured
  GraphSummary summary;
};

/// What depends on what, by these rules:
/// - a thread's items, and a stream's, follow each other;
/// - a kernel follows the call that launched it;
/// - a stream that waits for an event follows the kernel before the event: by cuda_sync events; without them
///   the next kernel that the thread launches follows what other streams were given before and had done by
///   then;
/// - a call that synchronises ends after the last kernel that it waits for;
/// - a thread that did nothing for long follows the thread that was in an operator when it went on, or else
/// the
///   last operator of another thread; a thread that did nothing else meanwhile waits for what it woke.
/// A dependency never contradicts the measured order. The timeline's events are used up.
Graph build_graph(Timeline& timeline, const GraphOptions& options = {});

}  // namespace wafertlm::pytorch
