// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/astra_sim/input_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "platform/describe/yaml_file.h"
#include "platform/text/suggest.h"
#include "tlm/input/file.h"

namespace wafertlm::astra_sim {
namespace {

using config::ConfigError;
using config::Node;
using config::SourceLocation;
using Json = nlohmann::json;

/// @throws ConfigError: what YAML would take and JSON does not.
void require_json(const std::string& path) {
  const std::string text = read_input(path);
  try {
    const Json parsed = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const JsonProblem problem = json_problem(text, error.byte, error.what());
    throw ConfigError({path, problem.line, problem.column}, problem.why);
  }
}

/// JSON is YAML, whose reader knows the places of values.
Node read(const std::string& path, InputKeys::Form form) {
  if (form == InputKeys::Form::json && config::is_readable_file(path)) require_json(path);
  return config::read_yaml_file(path);
}

/// A number or a truth value; a string: the text is neither.
Json of_scalar(const std::string& text) {
  const Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_number() || parsed.is_boolean() ? parsed : Json(text);
}

double in_range(const std::string& key, const Node& value, bool may_be_quoted, const Range& range) {
  const bool may_be_number = value.kind == Node::Kind::scalar && (may_be_quoted || !value.quoted);
  const Json read = may_be_number ? of_scalar(value.text) : Json();
  const double number = read.is_number() ? read.get<double>() : std::nan("");
  if (!(number >= range.least && number <= range.most))
    throw ConfigError(value.place, fmt::format("'{}' must be a number from {:g} to {:g}, got {}", key,
                                               range.least, range.most, value.describe()));
  return number;
}

/// A value stands for a list of one.
std::vector<Node> items_of(const Node& value) {
  return value.kind == Node::Kind::list ? value.items : std::vector<Node>{value};
}

}  // namespace

Node own(const std::string& text) { return Node::scalar(text, {"ASTRA-sim", 0, 0}); }

InputKeys::InputKeys(const std::string& path, Form form) : path_(path), values_(read(path, form)) {}

SourceLocation InputKeys::place(const std::string& key) const {
  const Node* const value = values_.find(key);
  return value ? value->place : own("").place;
}

Node InputKeys::at(const std::string& key, const std::string& text) const {
  return Node::scalar(text, place(key));
}

Node InputKeys::at(const std::string& key, std::size_t item, const std::string& text) const {
  return Node::scalar(text, this->item(key, item).place);
}

const Node& InputKeys::item(const std::string& key, std::size_t item) const {
  const Node& value = *values_.find(key);
  return value.kind == Node::Kind::list ? value.items[item] : value;
}

std::optional<double> InputKeys::number(const std::string& key, const Range& range) {
  const Node* value = find(key);
  if (!value) return {};
  if (value->kind == Node::Kind::list && value->items.size() == 1) value = &value->items.front();
  return in_range(key, *value, true, range);
}

std::optional<std::uint64_t> InputKeys::whole_number(const std::string& key, const Range& range) {
  const auto value = number(key, range);
  if (!value) return {};
  if (*value != std::floor(*value)) fail(key, "must be a whole number");
  return static_cast<std::uint64_t>(*value);
}

std::optional<std::string> InputKeys::word(const std::string& key, const std::vector<std::string>& allowed) {
  const Node* const value = find(key);
  if (!value) return {};
  if (value->kind != Node::Kind::scalar ||
      std::find(allowed.begin(), allowed.end(), value->text) == allowed.end())
    fail(key, "must be one of " + config::listed(allowed));
  return value->text;
}

std::optional<std::vector<std::string>> InputKeys::words(const std::string& key) {
  const Node* const value = find(key);
  if (!value) return {};
  std::vector<std::string> words;
  for (const Node& item : items_of(*value)) {
    if (item.kind != Node::Kind::scalar || (!item.quoted && !of_scalar(item.text).is_string()))
      throw ConfigError(item.place,
                        fmt::format("'{}' must be a list of names, got {}", key, item.describe()));
    words.push_back(item.text);
  }
  return words;
}

std::optional<std::vector<double>> InputKeys::numbers(const std::string& key, const Range& range) {
  const Node* const value = find(key);
  if (!value) return {};
  std::vector<double> numbers;
  for (const Node& item : items_of(*value)) numbers.push_back(in_range(key, item, false, range));
  return numbers;
}

bool InputKeys::asks(const std::string& key) {
  const Node* const value = find(key);
  if (!value) return false;
  if (value->kind != Node::Kind::scalar) return true;
  const Json plain = of_scalar(value->text);
  return plain != Json(0) && plain != Json(false) && plain != Json("");
}

void InputKeys::fail(const std::string& key, const std::string& what) const {
  const Node& value = *values_.find(key);
  throw ConfigError(value.place, fmt::format("'{}' {}, got {}", key, what, value.describe()));
}

void InputKeys::fail(const std::string& key, std::size_t item, const std::string& what) const {
  const Node& value = this->item(key, item);
  throw ConfigError(value.place, fmt::format("'{}' {}, got {}", key, what, value.describe()));
}

void InputKeys::fail(const std::string& what) const { throw ConfigError(values_.place, what); }

void InputKeys::require_all(const std::vector<std::string>& keys) const {
  for (const std::string& key : keys)
    if (!has(key)) fail(fmt::format("'{}' is missing; needed are {}", key, config::listed(keys)));
}

void InputKeys::require_all_known() const {
  for (const Node::Entry& entry : values_.entries)
    if (std::find(known_.begin(), known_.end(), entry.key) == known_.end())
      throw ConfigError(entry.place, "unknown key " + config::quoted(entry.key) +
                                         config::suggestion(entry.key, known_, "known keys"));
}

const Node* InputKeys::find(const std::string& key) {
  known_.push_back(key);
  return values_.find(key);
}

}  // namespace wafertlm::astra_sim
