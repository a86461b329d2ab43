// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/request.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <stdexcept>

#include "platform/describe/document.h"
#include "platform/host/options.h"
#include "platform/spec/load.h"
#include "platform/text/suggest.h"

namespace wafertlm::optimize {
namespace {

using config::Node;

Node text_node(const std::string& text, const std::string& option) {
  return Node::string(text, {option, 0, 0});
}

Node list_node(const std::vector<std::string>& texts, const std::string& option) {
  std::vector<Node> items;
  for (const std::string& text : texts) items.push_back(text_node(text, option));
  Node list = Node::list(std::move(items));
  list.place = {option, 0, 0};
  return list;
}

void put(Node& map, const std::string& key, Node value) {
  map.erase(key);
  map.add(key, std::move(value));
}

/// In place of what the file has, if something was given.
void put_texts(Node& root, const char* key, const std::vector<std::string>& texts, const char* option) {
  if (!texts.empty()) put(root, key, list_node(texts, option));
}

/// Behind what the file has.
void add_texts(Node& root, const char* key, const std::vector<std::string>& texts, const char* option) {
  if (texts.empty()) return;
  Node* const there = root.find(key);
  if (there == nullptr || there->kind != Node::Kind::list) return put_texts(root, key, texts, option);
  for (const std::string& text : texts) there->items.push_back(text_node(text, option));
}

template <class Number>
void put_number(Node& root, const char* key, const std::optional<Number>& value, const char* option) {
  if (value) put(root, key, Node::scalar(fmt::format("{}", *value), {option, 0, 0}));
}

std::vector<std::string> absolute(std::vector<std::string> files) {
  for (std::string& file : files) file = std::filesystem::absolute(file).string();
  return files;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Of an experiment or a study: an optimize file that says no more.
Node named_file(const std::string& file, const char* kind, const Node& of) {
  Node root;
  root.kind = Node::Kind::map;
  root.place = {file, 0, 0};
  const Node* const name = of.find(kind);
  root.add("optimize", Node::string(name->text, name->place));
  root.add(kind, Node::string(std::filesystem::absolute(file).string(), root.place));
  return root;
}

/// A variable that is there already gets the range or the values that are given.
void put_variable(Node& variables, Node variable, bool of_study) {
  if (of_study) {  // an axis of that name?
    const Node key = *variable.find("key");
    if (key.text.find('.') == std::string::npos) {
      variable.erase("key");
      variable.add("axis", key);
      put(variable, "variable", key);
    }
  }
  const std::string name = variable.find("variable")->text;
  for (Node& each : variables.items)
    if (const Node* const other = each.find("variable"); other != nullptr && other->text == name) {
      each = std::move(variable);
      return;
    }
  variables.items.push_back(std::move(variable));
}

void put_prices(Node& variables, const std::vector<std::string>& prices) {
  for (const std::string& text : prices) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    std::vector<std::string> names;
    bool found = false;
    for (Node& each : variables.items)
      if (const Node* const called = each.find("variable"); called != nullptr) {
        names.push_back(called->text);
        if (called->text != name || equals == std::string::npos) continue;
        put(each, "price", Node::scalar(trimmed(text.substr(equals + 1)), {"--price " + text, 0, 0}));
        found = true;
      }
    if (!found)
      throw std::invalid_argument(fmt::format("--price {}: expected VARIABLE=NUMBER{}", text,
                                              config::suggestion(name, names, "variables")));
  }
}

}  // namespace

Node variable_of(const std::string& text) {
  const std::string option = "--vary " + text;
  const auto refuse = [&](const std::string& reason) -> std::invalid_argument {
    return std::invalid_argument(
        fmt::format("{}: {}; expected [NAME:]KEY=FROM..TO[:STEP] [UNIT] such as "
                    "wafer.fabric.link_bandwidth=50..1500:50 GB/s, or KEY=VALUE,VALUE",
                    option, reason));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw refuse("there is no key");
  std::string key = trimmed(text.substr(0, equals)), name;
  if (const std::size_t colon = key.find(':'); colon != std::string::npos) {
    name = key.substr(0, colon);
    key = key.substr(colon + 1);
  }
  if (name.empty()) name = key.substr(key.rfind('.') + 1);
  const std::string value = trimmed(text.substr(equals + 1));
  Node variable;
  variable.kind = Node::Kind::map;
  variable.place = {option, 0, 0};
  variable.add("variable", text_node(name, option));
  variable.add("key", text_node(key, option));
  if (value.find("..") == std::string::npos) {
    std::vector<std::string> values;
    for (std::size_t at = 0; at <= value.size();) {
      const std::size_t end = std::min(value.find(',', at), value.size());
      values.push_back(trimmed(value.substr(at, end - at)));
      at = end + 1;
    }
    if (values.size() < 2) throw refuse("one value varies nothing");
    variable.add("values", list_node(values, option));
    return variable;
  }
  const std::size_t dots = value.find("..");
  const std::string from = value.substr(0, dots), to = value.substr(dots + 2);
  static const std::regex kFrom(R"(([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z/]*)\s*)"),
      kTo(R"(\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z/]*)(?::\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z/]*))?\s*)");
  std::smatch match, to_match;
  if (!std::regex_match(from, match, kFrom) || !std::regex_match(to, to_match, kTo))
    throw refuse("no range of numbers");
  std::string unit;
  for (const std::string& each : {match[2].str(), to_match[2].str(), to_match[4].str()}) {
    if (each.empty()) continue;
    if (!unit.empty() && unit != each) throw refuse("write one unit, not " + unit + " and " + each);
    unit = each;
  }
  const auto add_number = [&](const char* called, const std::string& number) {
    variable.add(called, Node::scalar(number, variable.place));
  };
  add_number("from", match[1].str());
  add_number("to", to_match[1].str());
  if (to_match[3].matched) add_number("step", to_match[3].str());
  if (!unit.empty()) variable.add("unit", text_node(unit, option));
  return variable;
}

Node optimize_document(const std::string& file, const OptimizeRequest& request) {
  Node root = config::load_document(file);
  const bool is_experiment = root.find("optimize") == nullptr && root.find("experiment") != nullptr,
             is_study = root.find("optimize") == nullptr && root.find("study") != nullptr;
  if (is_experiment) root = named_file(file, "experiment", root);
  if (is_study) root = named_file(file, "study", root);
  if (is_experiment && request.vary.empty())
    throw std::invalid_argument(
        "nothing says what of the experiment may vary; give --vary, for instance --vary "
        "'wafer.fabric.link_bandwidth=50..1500 GB/s'");
  Node* variables = root.find("variables");
  if (variables == nullptr) variables = &root.add("variables", Node::list({}));
  variables->place = root.place;
  for (const std::string& text : request.vary)
    put_variable(*variables, variable_of(text), root.find("study") != nullptr);
  put_prices(*variables, request.prices);
  add_texts(root, "constraints", request.constraints, "--constraint");
  put_texts(root, "goals", request.goals, "--goal");
  add_texts(root, "set", request.set, "--set");
  add_texts(root, "coarse", request.coarse, "--coarse");
  put_texts(root, "workloads", absolute(request.workloads), "--workload");
  if (!request.over.empty()) put(root, "over", text_node(request.over, "--over"));
  if (!request.method.empty()) put(root, "method", text_node(request.method, "--method"));
  if (!request.costs.empty()) put(root, "costs", text_node(absolute({request.costs}).front(), "--costs"));
  if (request.predictions) put(root, "predictions", Node::scalar("true", {"--predictions", 0, 0}));
  if (request.explain) put(root, "explain", Node::scalar("true", {"--explain", 0, 0}));
  put_number(root, "cost_at_most", request.most_cost, "--cost-at-most");
  put_number(root, "power_at_most", request.most_power, "--power-at-most");
  put_number(root, "fixed_price", request.fixed_price, "--fixed-price");
  if (!request.limit.empty())
    put_number(root, "host_seconds", std::optional(seconds_of("--limit", request.limit)), "--limit");
  put_number(root, "evaluations", request.evaluations, "--evaluations");
  put_number(root, "coarse_evaluations", request.coarse_evaluations, "--coarse-evaluations");
  put_number(root, "seed", request.seed, "--seed");
  return root;
}

}  // namespace wafertlm::optimize
