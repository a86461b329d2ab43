// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace wafertlm {

/// Which accesses may be under way together: each names what it uses, alone or shared.
class AccessOrder {
 public:
  struct Use {
    std::uint64_t what;
    bool alone;
  };
  using Uses = std::vector<Use>;  ///< each `what` once

  /// Takes all or nothing.
  bool take(const Uses& uses) {
    for (const Use& use : uses)
      if (const auto found = taken_.find(use.what);
          found != taken_.end() && (use.alone || found->second == kAlone))
        return false;
    for (const Use& use : uses) {
      if (use.alone)
        taken_[use.what] = kAlone;
      else
        ++taken_[use.what];
    }
    return true;
  }
  void give_back(const Uses& uses) {
    for (const Use& use : uses) {
      const auto found = taken_.find(use.what);
      if (use.alone || --found->second == 0) taken_.erase(found);
    }
  }

 private:
  static constexpr std::uint32_t kAlone = ~std::uint32_t{0};
  std::unordered_map<std::uint64_t, std::uint32_t> taken_;  // kAlone, or how many share it
};

}  // namespace wafertlm
