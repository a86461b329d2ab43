// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "workloads/chakra/node.h"
#include "workloads/chakra/tensors.h"

namespace wafertlm::chakra {

/// What a rank needs of its NPU's memory at the same time, as far as its trace says.
struct Footprint {
  std::uint64_t bytes = 0;  ///< at least
  /// What the trace does not say, for messages; empty: it says enough, and `bytes` is all of it.
  std::string gap = "it does not name its tensors";

  bool is_whole() const { return gap.empty(); }
};

/// The most bytes of a rank's tensors that are there at one time, from the tensors that its nodes name.
///
/// A storage is there from the node that writes it to the last one that reads it, before another writes it
/// anew (names it among its outputs alone). One that is read before any node writes it was there from the
/// start: parameters, the optimizer's state, samples. Nodes count in the order of their dependencies. The
/// trace says enough if every node that works on the NPU (COMP that is no CPU operation, MEM, SEND, RECV,
/// collectives) gives values of its inputs or outputs, and some tensor is named.
class TensorLives {
 public:
  /// The next node of the file; its tensors count when done() tells its place.
  void take(const Node& node, const NodeIo& io);
  /// This node's turn has come, behind its parents.
  void done(std::uint64_t id);
  Footprint footprint() const;

 private:
  struct Uses {
    std::vector<TensorUse> read, written;
  };
  struct Life {
    std::uint64_t first = 0, last = 0;  // places in the order
    std::uint64_t bytes = 0;
  };
  void use(const TensorUse& tensor, bool reads);

  std::unordered_map<std::uint64_t, Uses> waiting_;  // by node
  std::unordered_map<std::uint64_t, Life> open_;     // by storage
  std::vector<Life> ended_;
  std::uint64_t place_ = 0;
  std::optional<std::string> gap_;  // the first node that does not name its tensors
};

}  // namespace wafertlm::chakra
