// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <random>

#include "tlm/shape/topology.h"

namespace wafertlm::test {

/// Compares what a topology answers with walking its routes link by link, on random groups.
void expect_like_its_routes(const Topology& topology, std::mt19937_64& random);

/// On a random group, distances() are to the nearest and the farthest other member, exactly. (Of other
/// topologies they need only be bounds, which expect_like_its_routes() looks at.)
void expect_exact_distances(const Topology& topology, std::mt19937_64& random);

}  // namespace wafertlm::test
