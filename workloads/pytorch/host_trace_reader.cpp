// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "workloads/chakra/recorded_groups.h"
#include "workloads/pytorch/decimal.h"
#include "workloads/pytorch/host_trace.h"
#include "workloads/pytorch/json_stream.h"

namespace wafertlm::pytorch {
namespace {

constexpr std::string_view kCommunication = "record_param_comms";

bool is_root_name(std::string_view name) { return name.substr(0, 27) == "[pytorch|profiler|execution"; }

/// Keeps the JSON text of a value as it comes by.
class Copy {
 public:
  explicit Copy(std::string& to) : to_(to) {}
  void begin(char bracket) {
    comma();
    to_ += bracket;
    first_ = true;
  }
  void end(char bracket) {
    to_ += bracket;
    first_ = false;
  }
  void key(std::string_view text) {
    comma();
    quote(text);
    to_ += ':';
    first_ = true;
  }
  void value(std::string_view text, bool is_string) {
    comma();
    if (is_string)
      quote(text);
    else
      to_ += text;
  }

 private:
  void comma() {
    if (!first_) to_ += ',';
    first_ = false;
  }
  void quote(std::string_view text) {
    to_ += nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  std::string& to_;
  bool first_ = true;
};

class HostTraceReader final : public JsonVisitor {
 public:
  HostTraceReader(HostTrace& to, Names& names) : to_(to), names_(names) {}

  void begin(char bracket) override;
  void end(char bracket) override;
  void key(std::string_view text) override;
  void value(std::string_view text, bool is_string) override;
  void finish() override;

 private:
  /// Depths: the file's object, its list of nodes, a node, its list of attributes, an attribute.
  static constexpr std::size_t kFile = 1, kList = 2, kNode = 3, kAttributes = 4, kAttribute = 5;

  void take_member(std::string_view key, std::string_view text);
  void take_attribute();
  void take_node();
  bool is_copied() const { return copy_ != nullptr; }

  HostTrace& to_;
  Names& names_;
  std::size_t depth_ = 0, copy_depth_ = 0;
  bool in_nodes_ = false, has_nodes_ = false, in_attributes_ = false, wanted_ = true;
  std::string key_, attribute_, attribute_value_;
  HostNode node_;
  bool has_id_ = false, has_name_ = false;
  std::string name_, inputs_, outputs_;
  std::map<std::string, std::string> attributes_;
  std::optional<Copy> copy_store_;
  Copy* copy_ = nullptr;
};

void HostTraceReader::begin(char bracket) {
  ++depth_;
  if (depth_ == kFile && bracket != '{')
    throw std::invalid_argument("an execution trace is an object with the list nodes");
  if (depth_ == kList && key_ == "nodes") {
    if (bracket != '[') throw std::invalid_argument("nodes is not a list");
    in_nodes_ = has_nodes_ = true;
    return;
  }
  if (!in_nodes_) return;
  if (depth_ == kNode) {
    if (bracket != '{') throw std::invalid_argument("a node is not an object");
    node_ = {};
    has_id_ = has_name_ = false;
    wanted_ = true;
    name_.clear();
    inputs_.clear();
    outputs_.clear();
    attributes_.clear();
  }
  if (depth_ == kAttributes && !is_copied()) {
    in_attributes_ = key_ == "attrs";
    // Of most nodes the tensors do not matter.
    if (wanted_ && (key_ == "inputs" || key_ == "outputs")) {
      copy_store_.emplace(key_ == "inputs" ? inputs_ : outputs_);
      copy_ = &*copy_store_;
      copy_depth_ = depth_;
    }
  }
  if (depth_ == kAttribute && in_attributes_) {
    attribute_.clear();
    attribute_value_.clear();
  }
  if (is_copied()) copy_->begin(bracket);
}

void HostTraceReader::end(char bracket) {
  if (is_copied()) {
    copy_->end(bracket);
    if (depth_ == copy_depth_) copy_ = nullptr;
  } else if (in_nodes_) {
    if (depth_ == kAttribute && in_attributes_) take_attribute();
    if (depth_ == kAttributes) in_attributes_ = false;
    if (depth_ == kNode) take_node();
    if (depth_ == kList) in_nodes_ = false;
  }
  --depth_;
}

void HostTraceReader::key(std::string_view text) {
  if (is_copied())
    copy_->key(text);
  else
    key_ = text;
}

void HostTraceReader::value(std::string_view text, bool is_string) {
  if (is_copied()) return copy_->value(text, is_string);
  if (depth_ == kFile) {
    if (key_ == "schema") to_.schema = text;
    if (key_ == "pid" && !is_string) to_.pid = whole_number(text);
    return;
  }
  if (!in_nodes_) return;
  if (depth_ == kList) throw std::invalid_argument("a node is not an object");
  if (depth_ == kNode) return take_member(key_, text);
  if (depth_ == kAttribute && in_attributes_) {
    if (key_ == "name") attribute_ = text;
    if (key_ == "value") attribute_value_ = text;
  }
}

void HostTraceReader::take_member(std::string_view key, std::string_view text) {
  if (key == "id") {
    node_.id = whole_number(text);
    has_id_ = true;
  } else if (key == "name") {
    name_ = text;
    has_name_ = true;
    wanted_ = text == kCommunication || text == chakra::kGroupsNode;
  } else if (key == "parent" || key == "ctrl_deps") {
    node_.parent = whole_number(text);
  } else if (key == "rf_id") {
    node_.function_id = whole_number(text);
  } else if (key == "tid") {
    node_.thread = whole_number_32(text);
  }
}

void HostTraceReader::take_attribute() {
  if (attribute_ == "rf_id" || attribute_ == "tid")
    take_member(attribute_, attribute_value_);
  else if (wanted_)
    attributes_[attribute_] = attribute_value_;
}

void HostTraceReader::take_node() {
  if (!has_id_) throw std::invalid_argument("a node without id");
  if (!has_name_) throw std::invalid_argument("node " + std::to_string(node_.id) + " without name");
  node_.name = names_.number(name_);
  node_.is_root = is_root_name(name_);
  try {
    if (name_ == kCommunication) {
      to_.communications.push_back(read_communication(inputs_, outputs_, attributes_));
      node_.communication = static_cast<std::uint32_t>(to_.communications.size());
    } else if (name_ == chakra::kGroupsNode) {
      for (chakra::RecordedGroup& group : chakra::recorded_groups(inputs_))
        if (!group.ranks.empty()) to_.groups[group.name] = std::move(group.ranks);
    }
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("node " + std::to_string(node_.id) + " \"" + chakra::printable(name_) +
                                "\": " + error.what());
  }
  to_.nodes.push_back(node_);
}

void HostTraceReader::finish() {
  if (!has_nodes_) throw std::invalid_argument("there is no list nodes: this is no PyTorch execution trace");
  if (to_.nodes.empty()) throw std::invalid_argument("there are no nodes");
  const std::string& schema = to_.schema;
  // "1.1.1-chakra.1.0.0" and the like: what is before the hyphen counts.
  if (schema.compare(0, 4, "1.0.") != 0 && schema.compare(0, 4, "1.1.") != 0)
    throw std::invalid_argument("schema \"" + chakra::printable(schema) + "\"; 1.0.x and 1.1.x can be read");
  auto& nodes = to_.nodes;
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const HostNode& a, const HostNode& b) { return a.id < b.id; });
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0 && nodes[i].id == nodes[i - 1].id) ++to_.duplicate_ids;
    if (nodes[i].is_root) continue;
    const auto parent = std::lower_bound(nodes.begin(), nodes.end(), nodes[i].parent,
                                         [](const HostNode& a, std::uint64_t id) { return a.id < id; });
    if (parent == nodes.end() || parent->id != nodes[i].parent) ++to_.missing_parents;
  }
}

}  // namespace

HostTrace read_host_trace(const std::string& path, Names& names) {
  HostTrace trace;
  trace.file = path;
  HostTraceReader reader(trace, names);
  read_json(path, reader);
  return trace;
}

}  // namespace wafertlm::pytorch
