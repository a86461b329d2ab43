// SPDX-License-Identifier: Apache-2.0
// A graph in the making. Used by build_graph() and its parts only.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/pytorch/graph.h"

namespace wafertlm::pytorch {

/// A call of the runtime with which something on a device belongs together.
struct LaunchCall {
  std::uint32_t correlation = 0, item = 0;
  std::uint32_t around = 0, last = 0;  ///< the communication whose operator it is in, and the last one before
  std::uint16_t thread = 0;
  bool is_direct = false;  ///< no other operator is between that one and the call
};
struct SyncCall {
  std::uint32_t correlation = 0, item = 0, name = 0;
  std::int64_t start_ns = 0, end_ns = 0;
};
struct StreamWaitCall {
  std::uint32_t correlation = 0;
  std::uint16_t thread = 0;
};
/// A device event by the order in which the host gave it to its stream.
struct Issued {
  std::uint32_t correlation = 0, item = 0;
  friend bool operator<(const Issued& a, const Issued& b) { return a.correlation < b.correlation; }
};

struct Draft {
  Timeline& timeline;
  const GraphOptions& options;
  Graph graph;
  std::vector<std::vector<std::uint32_t>> thread_items = {};  ///< by thread, in order
  std::vector<LaunchCall> launches = {};                      ///< by correlation, then in order
  std::vector<SyncCall> syncs = {};
  std::vector<StreamWaitCall> stream_waits = {};
  std::vector<std::vector<Issued>> issued = {};  ///< by stream
  std::vector<std::uint32_t> launched_by = {};   ///< of device items: index in launches, or Item::kNone
  std::uint32_t first_device_item = 0;
  std::vector<bool> used_syncs = {};              ///< of the timeline's
  std::uint32_t first_correlation = Item::kNone;  ///< the lowest of a call of the runtime

  std::uint32_t add(const Item& item) {
    graph.items.push_back(item);
    return static_cast<std::uint32_t>(graph.items.size() - 1);
  }
  /// `child` waits for `parent`, unless it began earlier.
  bool add_edge(std::uint32_t parent, std::uint32_t child) {
    const Item &from = graph.items[parent], &to = graph.items[child];
    if (std::pair(from.start_ns, parent) >= std::pair(to.start_ns, child)) {
      ++graph.summary.contradictions;
      return false;
    }
    graph.edges.emplace_back(child, parent);
    return true;
  }
  /// The last item given to a stream before the call with this correlation.
  std::optional<std::uint32_t> last_before(std::uint16_t stream, std::uint32_t correlation) const;
};

/// What a call of the runtime does, by its name; launches are known by their correlation.
bool synchronises(std::string_view call);
bool makes_a_stream_wait(std::string_view call);

// The parts, in this order.
void add_host_items(Draft& draft);
void add_thread_waits(Draft& draft);
void add_device_items(Draft& draft);
void add_stream_waits(Draft& draft);
void add_synchronisations(Draft& draft);

}  // namespace wafertlm::pytorch
