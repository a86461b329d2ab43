// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "workloads/chakra/node_source.h"

namespace wafertlm {

/// Groups of ranks with whole numbers above 0 for names, in the order of the names that they had, as
/// ASTRA-sim reads them ("0" is all ranks).
class NumberedGroups {
 public:
  using Groups = std::map<std::string, std::vector<std::uint32_t>>;
  explicit NumberedGroups(const Groups& groups);

  /// {"1": [0, 1], …}
  std::string json() const;
  /// The nodes of a source, which outlives it, with these names. Names of no group stay.
  std::unique_ptr<chakra::NodeSource> named(chakra::NodeSource& source) const;

 private:
  using Names = std::map<std::string, std::string>;
  class Source;
  std::shared_ptr<const Names> names_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> groups_;
};

}  // namespace wafertlm
