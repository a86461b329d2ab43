// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "workloads/chakra/node.h"

namespace wafertlm::chakra {

/// Reads one entry of `workload_graph`. @throws std::invalid_argument: no JSON object, a key twice, a missing
/// or wrong value; `node` then has what was read before.
void from_json(const std::string& text, Node& node);

/// The node as one line of that list.
std::string to_json(const Node& node);

}  // namespace wafertlm::chakra
