// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

namespace wafertlm {

/// SystemC modules that are destroyed from the last to the first: the kernel looks for the port that goes
/// from the last one on, so that the other order takes the square of their number.
template <typename Module>
class ModuleList : public std::vector<std::unique_ptr<Module>> {
 public:
  ModuleList() = default;
  ModuleList(ModuleList&&) noexcept = default;
  ModuleList& operator=(ModuleList&&) = delete;
  ModuleList(const ModuleList&) = delete;
  ModuleList& operator=(const ModuleList&) = delete;
  ~ModuleList() {
    while (!this->empty()) this->pop_back();
  }
};

}  // namespace wafertlm
