// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/node_json.h"

#include <nlohmann/json.hpp>
#include <string>

namespace wafertlm::config {

nlohmann::ordered_json to_json(const Node& node) {
  using Value = nlohmann::ordered_json;
  Value result;
  switch (node.kind) {
    case Node::Kind::empty:
      return nullptr;
    case Node::Kind::scalar:
      if (node.quoted) return node.text;
      if (node.text == "true" || node.text == "false") return node.text == "true";
      if (node.text.find_first_not_of("0123456789") == std::string::npos) return std::stoull(node.text);
      if (result = Value::parse(node.text, nullptr, false); result.is_number()) return result;
      return node.text;
    case Node::Kind::list:
      result = Value::array();
      for (const Node& item : node.items) result.push_back(to_json(item));
      return result;
    case Node::Kind::map:
      result = Value::object();
      for (const Node::Entry& entry : node.entries) result[entry.key] = to_json(entry.value);
      return result;
  }
  return result;
}

}  // namespace wafertlm::config
