// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/support/router_mesh.h"

namespace wafertlm::test {

/// The same mesh made of the engine's switches (tlm/link/wormhole.h), driven by an event loop of its own,
/// without SystemC. A link cycle is 1 ns; the two cycles of switch allocation and traversal are the part of
/// the pipeline that every flit takes, ahead of the allocation. Needs a speedup that divides 1000.
/// @throws std::logic_error: flits or credits are missing when all has drained.
RouterMeshResult run_wormhole_mesh(const RouterMeshParams& params);

}  // namespace wafertlm::test
