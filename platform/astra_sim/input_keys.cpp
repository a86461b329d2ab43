// SPDX-License-Identifier: Apache-2.0
#include "platform/astra_sim/input_keys.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "platform/config/suggest.h"

namespace wafertlm::astra_sim {
namespace {

using Json = nlohmann::json;

[[noreturn]] void fail_twice(const std::string& key, std::size_t line) {
  throw std::invalid_argument(
      fmt::format("line {}: the key '{}' is written twice; keep one of them", line, key));
}

Json of_scalar(const std::string& text) {
  const Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_number() || parsed.is_boolean() ? parsed : Json(text);
}

Json of_yaml(const YAML::Node& node) {
  if (node.IsScalar()) return of_scalar(node.Scalar());
  Json json = node.IsMap() ? Json::object() : Json::array();
  if (node.IsSequence())
    for (const auto& item : node) json.push_back(of_yaml(item));
  if (node.IsMap())
    for (const auto& entry : node) {
      const auto key = entry.first.as<std::string>();
      if (json.contains(key)) fail_twice(key, static_cast<std::size_t>(entry.first.Mark().line) + 1);
      json[key] = of_yaml(entry.second);
    }
  return json;
}

/// The line of the n-th key, from 0: the n-th string with a colon behind it.
std::size_t line_of_key(const std::string& text, std::size_t n) {
  std::size_t begin = text.find('"');
  for (std::size_t at = begin; at < text.size(); begin = at = text.find('"', at + 1)) {
    while (++at < text.size() && text[at] != '"') at += text[at] == '\\' ? 1 : 0;
    const std::size_t behind = text.find_first_not_of(" \t\r\n", at + 1);
    if (behind != std::string::npos && text[behind] == ':' && n-- == 0) break;
  }
  begin = std::min(begin, text.size());  // a key that the text ends behind has no colon
  return 1 + static_cast<std::size_t>(std::count(text.data(), text.data() + begin, '\n'));
}

/// nlohmann keeps the last of two equal keys without a word.
Json of_json(const std::string& text) {
  std::vector<std::set<std::string>> open;  // keys of the maps that are being read
  std::size_t keys = 0;
  return Json::parse(text, [&](int, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event != Event::key) return true;
    if (!open.back().insert(parsed.get<std::string>()).second)
      fail_twice(parsed.get<std::string>(), line_of_key(text, keys));
    ++keys;
    return true;
  });
}

}  // namespace

InputKeys::InputKeys(const std::string& path, Form form) : path_(path) {
  std::ifstream in(path);
  if (!in) throw std::invalid_argument("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  try {
    values_ = form == Form::yaml ? of_yaml(YAML::Load(text)) : of_json(text);
  } catch (const std::exception& error) {
    throw std::invalid_argument(path + ": " + error.what());
  }
  if (!values_.is_object()) throw std::invalid_argument(path + ": expected keys with values");
}

double InputKeys::in_range(const std::string& key, const Json& value, const Range& range) const {
  const double number = value.is_number() ? value.get<double>() : std::nan("");
  if (!(number >= range.least && number <= range.most))
    fail(key, fmt::format("must be a number from {:g} to {:g}", range.least, range.most));
  return number;
}

std::optional<double> InputKeys::number(const std::string& key, const Range& range) {
  const Json* value = find(key);
  if (!value) return {};
  if (value->is_array() && value->size() == 1) value = &value->front();
  return in_range(key, value->is_string() ? of_scalar(value->get<std::string>()) : *value, range);
}

std::optional<std::uint64_t> InputKeys::whole_number(const std::string& key, const Range& range) {
  const auto value = number(key, range);
  if (!value) return {};
  if (*value != std::floor(*value)) fail(key, "must be a whole number");
  return static_cast<std::uint64_t>(*value);
}

std::optional<std::string> InputKeys::word(const std::string& key, const std::vector<std::string>& allowed) {
  const Json* const value = find(key);
  if (!value) return {};
  const std::string text = value->is_string() ? value->get<std::string>() : "";
  if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
    fail(key, "must be one of " + config::listed(allowed));
  return text;
}

std::optional<std::vector<std::string>> InputKeys::words(const std::string& key) {
  const Json* const value = find(key);
  if (!value) return {};
  std::vector<std::string> words;
  for (const Json& item : value->is_array() ? *value : Json::array({*value})) {
    if (!item.is_string()) fail(key, "must be a list of names");
    words.push_back(item.get<std::string>());
  }
  return words;
}

std::optional<std::vector<double>> InputKeys::numbers(const std::string& key, const Range& range) {
  const Json* const value = find(key);
  if (!value) return {};
  std::vector<double> numbers;
  for (const Json& item : value->is_array() ? *value : Json::array({*value}))
    numbers.push_back(in_range(key, item, range));
  return numbers;
}

bool InputKeys::asks(const std::string& key) {
  const Json* const value = find(key);
  if (!value) return false;
  const Json plain = value->is_string() ? of_scalar(value->get<std::string>()) : *value;
  return plain != Json(0) && plain != Json(false) && plain != Json("");
}

void InputKeys::fail(const std::string& key, const std::string& what) const {
  const std::string written = values_.at(key).dump(-1, ' ', false, Json::error_handler_t::replace);
  throw std::invalid_argument(path_ + ": '" + key + "' " + what + ", it is " + written);
}

void InputKeys::require_all_known() const {
  for (const auto& entry : values_.items())
    if (std::find(known_.begin(), known_.end(), entry.key()) == known_.end())
      throw std::invalid_argument(path_ + ": unknown key '" + entry.key() + "'" +
                                  config::suggestion(entry.key(), known_, "known keys"));
}

const Json* InputKeys::find(const std::string& key) {
  known_.push_back(key);
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &*found;
}

}  // namespace wafertlm::astra_sim
