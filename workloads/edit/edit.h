// SPDX-License-Identifier: Apache-2.0
// Changes of a rank's trace for what-if questions. Each gives a trace that can be run if the one before
// could.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/chakra/node.h"

namespace wafertlm::edit {

using Nodes = std::vector<chakra::Node>;

/// Durations of the nodes of a class (statistics::class_of(): kernel, cpu, delay, ALL_REDUCE …) times
/// `factor`, rounded to the picosecond. Returns how many nodes. @throws std::invalid_argument: longer than
/// 106 days.
std::uint64_t scale_durations(Nodes& nodes, const std::string& of_class, double factor);

/// Elements of `to_bits` in place of `from_bits`: bytes of communications, of memory accesses and those that
/// computations touch change in that ratio, rounded up. Durations stay: a machine's rates are another
/// question (scale_durations). Returns how many nodes. @throws std::invalid_argument: more than 2^63 bytes.
std::uint64_t change_precision(Nodes& nodes, std::uint32_t from_bits, std::uint32_t to_bits);

/// Collectives of more than `most` bytes become as few equal parts as are not larger; the first parts get a
/// byte more if they must. Each part waits for what the collective waited for, and all that waited for it
/// waits for every part. Recorded durations are divided like bytes. Returns how many were split.
std::uint64_t split_collectives(Nodes& nodes, std::uint64_t most);

/// Collectives of one type, group and class that follow each other (by their numbers) become one, up to
/// `most` bytes, where none needs what another one before it made, in any other way than directly. It waits
/// for all that they waited for. Returns how many became part of another.
std::uint64_t fuse_collectives(Nodes& nodes, std::uint64_t most);

/// So many copies, each after all of the one before. @throws std::invalid_argument: ids beyond 64 bits.
void repeat(Nodes& nodes, std::uint32_t copies);

/// Nodes from position `from` to before `to`, in the order of the file; a dependency on one that is left out
/// is replaced by those that it had in turn. @throws std::invalid_argument: nothing is left.
void slice(Nodes& nodes, std::uint64_t from, std::uint64_t to);

/// Peers of messages by their new ranks. @throws std::invalid_argument: a peer without one.
void rename_peers(Nodes& nodes, const std::vector<std::uint32_t>& new_ranks);

}  // namespace wafertlm::edit
