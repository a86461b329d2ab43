// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <random>

#include "tests/support/router_mesh.h"

namespace wafertlm::test {

/// The packets of one node, the same for whoever simulates them: a Bernoulli trial per cycle.
class MeshPackets {
 public:
  MeshPackets(const RouterMeshParams& params, int node)
      : side_(params.side),
        node_(node),
        transpose_(params.traffic == MeshTraffic::transpose),
        random_(params.seed * 1'000'003 + static_cast<std::uint64_t>(node)),
        gap_(params.load / params.packet_flits) {}

  bool sends() const { return !transpose_ || node_ % side_ != node_ / side_; }
  struct Next {
    long cycle;
    int destination;
  };
  Next next() {
    cycle_ += 1 + gap_(random_);
    const int to = std::uniform_int_distribution<>(0, side_ * side_ - 1)(random_);
    return {cycle_, transpose_ ? node_ % side_ * side_ + node_ / side_ : to};
  }

 private:
  int side_, node_;
  bool transpose_;
  std::mt19937_64 random_;
  std::geometric_distribution<long> gap_;
  long cycle_ = -1;
};

}  // namespace wafertlm::test
