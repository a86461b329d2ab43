// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// What of a run to look at: "npu*", "npu*@dp", "router3->*:0us-200us". An instance that several name is
/// looked at if one of them takes it.
class InstanceFilter {
 public:
  /// @throws std::invalid_argument that shows the form.
  explicit InstanceFilter(const std::vector<std::string>& texts);

  /// @throws std::invalid_argument: a part that names none of these instances, or none of these classes.
  void require_used(const std::vector<std::string>& instances, const std::vector<std::string>& classes) const;
  bool instance(const std::string& name) const;
  /// Whether something of this class (empty: of none) that lasts from `from_ps` to `to_ps` is of interest.
  bool takes(const std::string& name, const std::string& traffic_class, TimePs from_ps, TimePs to_ps) const;

 private:
  struct Part {
    std::string glob, traffic_class;
    TimePs from_ps = 0, to_ps = kNever;
  };
  std::vector<Part> parts_;
};

}  // namespace wafertlm
