// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string_view>

#include "workloads/pytorch/communication.h"

namespace wafertlm::pytorch {

/// Whether a name begins like those that speak of communication.
bool may_say_communication(std::string_view name);

/// What the name of an operator or annotation says of a communication ("nccl:all_to_all",
/// "c10d::_allgather_base_", "nccl:send 0->1"), with the sizes of its inputs: `dims` is a list for each input
/// ("[[1024,8],[]]"; in a list of tensors one for each of these), `types` has a line for each ("float\n\n").
/// Nothing: the name is of no communication. @throws std::invalid_argument: more than 2^64 bytes
std::optional<Communication> annotated_communication(std::string_view name, std::string_view dims,
                                                     std::string_view types);

}  // namespace wafertlm::pytorch
