// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/mesh/mesh_geometry.h"
#include "models/traffic/destination_source.h"

namespace wafertlm::traffic {

/// Who sends to whom in synthetic traffic: for every source the destinations and how often each is chosen.
///
/// With columns x of W and rows y of H:
///   uniform         every node equally often, the sender too, as in the classic simulators
///   transpose       (x, y) to (y, x); needs W = H
///   neighbor        each of the two to four nodes beside it equally often
///   bit_complement  (x, y) to (W−1−x, H−1−y): node n to N−1−n
///   tornado         (x, y) to (x + ⌈W/2⌉ − 1 mod W, y + ⌈H/2⌉ − 1 mod H)
///   hotspot         to one node with a given probability, otherwise uniform
///   permutation     from a file
///   pairs           from a file; several may send to one node
///   random_permutation  every node to another one and from another one, in one random cycle
///   incast          all other nodes to one
class Pattern : public DestinationSource {
 public:
  struct Choice {
    NpuId destination;
    std::uint64_t weight;  ///< its probability is weight / total()
  };

  /// Destinations of a source; empty when it is silent. The weights of every source that sends sum to
  /// total(), so that loads are exact integers.
  virtual std::vector<Choice> choices(NpuId source) const = 0;
  virtual std::uint64_t total() const = 0;
  virtual bool sends(NpuId) const { return true; }
};

constexpr double kHotspotFraction = 0.1;

struct PatternOptions {
  std::string name = "uniform";
  std::string permutation_file;               ///< permutation: lines `source destination`, # comments
  std::string pairs_file;                     ///< of pairs, alike
  std::optional<std::uint32_t> hotspot_node;  ///< of hotspot and incast; none: node 0
  std::optional<double> hotspot_fraction;     ///< 0 … 1, taken to a millionth; none: kHotspotFraction
  std::uint64_t seed = 1;                     ///< of random_permutation
};

/// "uniform, transpose, …" for messages.
std::string pattern_names();

/// @throws std::invalid_argument (one line with a way out): an unknown name, a mesh that does not fit the
/// pattern, a node that does not exist; config::ConfigError with file and line for a bad permutation file.
std::unique_ptr<Pattern> make_pattern(const PatternOptions& options, const MeshGeometry& geometry);

}  // namespace wafertlm::traffic
