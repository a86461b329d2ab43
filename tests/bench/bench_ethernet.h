// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wafertlm {

/// Packet-hops per second of the Ethernet engine: permutations of 2 MB on three-tier fat trees, as htsim's.
void print_ethernet();

}  // namespace wafertlm
