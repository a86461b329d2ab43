// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace wafertlm::pytorch {

/// What an event of a Kineto trace is, by its category.
struct EventKind {
  enum class Role : std::uint8_t { operation, call, device_work, synchronisation, left_out };
  Role role = Role::left_out;
  std::string rule;  ///< by which it is left out
};

/// `has_stream`: it says a device and a stream, which makes it work of the device if the category is not
/// known; a category "…_runtime" or "…_driver" has calls.
EventKind kind_of_category(std::string_view category, bool has_stream);

/// By which rule events of a phase other than X, B and E are left out.
std::string rule_of_phase(std::string_view phase);

}  // namespace wafertlm::pytorch
