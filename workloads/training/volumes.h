// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm::training {

/// What the communications of a rank amount to.
struct ClassVolume {
  std::uint64_t operations = 0;  ///< collectives and messages, with both ends of a message
  /// That leave the rank if every collective is a ring (reduce-scatter, all-gather, all-to-all (n−1)/n of the
  /// vector, all-reduce twice that) or a tree of which the rank is the root (broadcast, scatter: all,
  /// (n−1)/n); rounded down per operation.
  std::uint64_t sent_bytes = 0;
  /// Streams that the rank gets, and sums that leave the wafer to which it adds.
  std::uint64_t streamed_in_bytes = 0, streamed_out_bytes = 0;
  /// Of those the ones of whose group it is the first: over all ranks, what the I/O controllers carry.
  std::uint64_t io_in_bytes = 0, io_out_bytes = 0;
  std::map<unsigned, std::uint64_t> by_size;  ///< operations of 2^key to 2^(key+1) − 1 bytes
};

/// Of the remote memory, by MEM_LOAD or MEM_STORE nodes.
struct AccessVolume {
  std::uint64_t operations = 0, bytes = 0;
};

struct Volumes {
  std::map<std::string, ClassVolume> classes;
  AccessVolume loads, stores;
  std::uint64_t nodes = 0, operations = 0;  ///< arithmetic
  std::uint64_t compute_ps = 0;             ///< durations of COMP nodes
};

/// Reads all of `source`, which then stands at its end.
Volumes volumes_of(chakra::NodeSource& source, std::uint32_t rank, const chakra::CommGroups& groups);

}  // namespace wafertlm::training
