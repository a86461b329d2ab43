// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "platform/commands/libra/inputs.h"

namespace wafertlm::libra {

/// Of a link of a dimension in parts of an NPU's bandwidth: two links of 1/2 in a ring (of two NPUs one), k −
/// 1 of 1/(k − 1) fully connected, one to a switch.
double link_share(const NetworkDimension& dimension);

/// By term of time_problem() and dimension: how many times as long as LIBRA's model says a collective takes
/// for its wires alone. A fully connected group of k among n has k − 1 of an NPU's n − 1 links; else 1.
std::vector<std::vector<double>> wire_factors(const Load& load, const Network& network);

}  // namespace wafertlm::libra
