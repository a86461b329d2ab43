// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/class_file.h"

#include <charconv>
#include <memory>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "platform/describe/document.h"
#include "platform/describe/value_types.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kMostRanks = 65'536;

std::shared_ptr<const config::Struct<ClassSpec>> class_type() {
  static const auto type = [] {
    using config::word;
    using Axis = edit::RankAxis;
    using Group = ClassSpec::Group;
    auto axis = std::make_shared<config::Struct<Axis>>("class_axis");
    axis->required("class", &Axis::traffic_class, word(), "Traffic class: mp, dp, pp, ep")
        .required("size", &Axis::size, config::integer<std::uint32_t>(1, kMostRanks), "Ranks along the axis");
    auto group = std::make_shared<config::Struct<Group>>("class_group");
    group->required("group", &Group::pattern, config::text(), "Name of a group, or a pattern such as 'tp_*'")
        .required("class", &Group::traffic_class, word(), "Traffic class: mp, dp, pp, ep");
    auto made = std::make_shared<config::Struct<ClassSpec>>("classes");
    made->required("classes", &ClassSpec::name, config::text(), "What they are of")
        .optional("axes", &ClassSpec::axes, config::list_of<Axis>(axis, 0, 16),
                  "Axes of the grid that the ranks are, innermost first: [{class: mp, size: 8}]")
        .optional("groups", &ClassSpec::groups, config::list_of<Group>(group, 0, 100'000),
                  "Classes of groups by name, before axes")
        .optional("messages", &ClassSpec::messages, config::or_none<std::string>(word(), ""),
                  "Class of sends and receives; none: by axes");
    return made;
  }();
  return type;
}

}  // namespace

config::FileKind class_file_kind() {
  return {class_type().get(), "trace classify", "which traffic class communications of traces have",
          [](const config::CheckRequest& request, std::ostream& out) {
            out << config::check_line("classes", load_classes(request.file).name);
          }};
}

ClassSpec load_classes(const std::string& path) {
  const config::Node root = config::load_document(path, "classes", "classes: my job");
  config::Origins origins;
  return class_type()->read(config::Reader(root, "", origins));
}

ClassSpec classes_of_text(const std::string& text) {
  ClassSpec classes;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    edit::RankAxis axis;
    axis.traffic_class = part.substr(0, equals);
    const char* const end = part.data() + part.size();
    const char* const begin = equals == std::string::npos ? end : part.data() + equals + 1;
    const auto [past, error] = std::from_chars(begin, end, axis.size);
    if (axis.traffic_class.empty() || error != std::errc() || past != end || axis.size == 0)
      throw std::invalid_argument(
          "--classes " + text + ": expected auto, a file (.yaml), or axes, innermost first: mp=8,dp=4,pp=2");
    classes.axes.push_back(axis);
  }
  return classes;
}

}  // namespace wafertlm
