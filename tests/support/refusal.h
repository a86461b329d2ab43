// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

namespace wafertlm::test {

/// What `call` says when it throws an Error; "" if it does not.
template <typename Error = std::invalid_argument, typename Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace wafertlm::test
