// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/describe/file_kind.h"
#include "workloads/edit/classes.h"

namespace wafertlm {

/// Which class communications have: a file of `trace classify --classes`.
struct ClassSpec {
  struct Group {
    std::string pattern, traffic_class;  ///< "tp_*": of names of groups
  };
  std::string name;
  std::vector<edit::RankAxis> axes;  ///< innermost first; strides follow from sizes
  std::vector<Group> groups;         ///< the first that fits counts, before axes
  std::string messages;              ///< of sends and receives; "": by axes
};

config::FileKind class_file_kind();
/// @throws ConfigError
ClassSpec load_classes(const std::string& path);
/// "mp=8,dp=4,pp=2", innermost first. @throws std::invalid_argument
ClassSpec classes_of_text(const std::string& text);

}  // namespace wafertlm
