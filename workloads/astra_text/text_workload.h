// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/chakra/node.h"

namespace wafertlm::astra_text {

/// A pass of a layer: its computation, then its collective.
struct Phase {
  double compute_ns = 0;
  bool communicates = false;
  chakra::CollectiveType collective = chakra::CollectiveType::AllReduce;  ///< if it communicates
  /// Of the full vector; of an all-gather, one rank's shard (as chakra::Node::comm_size).
  std::uint64_t bytes = 0;
};

enum class Pass : std::uint8_t { forward, input_gradient, weight_gradient };
constexpr std::size_t kPasses = 3;
/// "forward", "input gradient", "weight gradient".
const char* to_string(Pass pass);

struct Layer {
  std::string name;
  std::array<Phase, kPasses> phases;  ///< by Pass
};

/// A workload in the text form of ASTRA-sim 1.0 (as LIBRA has it): a line per layer with 12 fields, name,
/// reserved, then compute ns, collective, bytes for forward, input gradient and weight gradient; last an
/// update time, which is ignored. ASTRA-sim's own two lines before (the strategy's name, the number of
/// layers) may be there.
struct TextWorkload {
  std::string source;               ///< the file, for messages
  std::vector<std::string> header;  ///< words of the strategy's line; empty: there is none
  std::vector<Layer> layers;

  double compute_ns() const;
};

/// @throws chakra::TraceError "FILE:LINE: …" for what is no such line, for a file without layers, or one that
/// cannot be read.
TextWorkload read_text_workload(const std::string& path);

/// Bytes that each rank sends in each dimension for one collective over groups of `group_sizes` ranks (by
/// dimension; -1: takes no part), of `bytes` as in Phase: LIBRA's model (arXiv 2109.11762).
std::vector<double> bytes_by_dimension(chakra::CollectiveType type, double bytes,
                                       const std::vector<int>& group_sizes);

}  // namespace wafertlm::astra_text
