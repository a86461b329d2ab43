// SPDX-License-Identifier: Apache-2.0
#include "platform/astra_sim/keys.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "platform/config/suggest.h"

namespace wafertlm::astra_sim {
namespace {

using Json = nlohmann::json;

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
      if (json.contains(key)) throw std::invalid_argument("the key '" + key + "' is there twice");
      json[key] = of_yaml(entry.second);
    }
  return json;
}

}  // namespace

Keys::Keys(const std::string& path, bool yaml) : path_(path) {
  std::ifstream in(path);
  if (!in) throw std::invalid_argument("cannot read " + path);
  try {
    values_ = yaml ? of_yaml(YAML::Load(in)) : Json::parse(in);
  } catch (const YAML::Exception& error) {
    throw std::invalid_argument(path + ": " + error.what());
  } catch (const Json::exception& error) {
    throw std::invalid_argument(path + ": " + error.what());
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(path + ": " + error.what());
  }
  if (!values_.is_object()) throw std::invalid_argument(path + ": expected keys with values");
}

const Json* Keys::find(const std::string& key) {
  known_.push_back(key);
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &*found;
}

void Keys::fail(const std::string& key, const std::string& what) const {
  throw std::invalid_argument(path_ + ": '" + key + "' " + what + ", it is " + values_.at(key).dump());
}

std::optional<double> Keys::number(const std::string& key) {
  const Json* value = find(key);
  if (!value) return {};
  if (value->is_array() && value->size() == 1) value = &value->front();
  const Json as_number = value->is_string() ? of_scalar(value->get<std::string>()) : *value;
  if (!as_number.is_number() || as_number.get<double>() < 0) fail(key, "must be a number from 0 on");
  return as_number.get<double>();
}

std::optional<std::string> Keys::word(const std::string& key, const std::vector<std::string>& allowed) {
  const Json* const value = find(key);
  if (!value) return {};
  const std::string text = value->is_string() ? value->get<std::string>() : "";
  if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
    fail(key, "must be one of " + config::listed(allowed));
  return text;
}

std::optional<std::vector<std::string>> Keys::words(const std::string& key) {
  const Json* const value = find(key);
  if (!value) return {};
  std::vector<std::string> words;
  for (const Json& item : value->is_array() ? *value : Json::array({*value})) {
    if (!item.is_string()) fail(key, "must be a list of names");
    words.push_back(item.get<std::string>());
  }
  return words;
}

std::optional<std::vector<double>> Keys::numbers(const std::string& key) {
  const Json* const value = find(key);
  if (!value) return {};
  std::vector<double> numbers;
  for (const Json& item : value->is_array() ? *value : Json::array({*value})) {
    if (!item.is_number() || item.get<double>() <= 0) fail(key, "must be a list of numbers above 0");
    numbers.push_back(item.get<double>());
  }
  return numbers;
}

bool Keys::skip(const std::string& key) {
  const Json* const value = find(key);
  if (!value) return false;
  const Json plain = value->is_string() ? of_scalar(value->get<std::string>()) : *value;
  return plain != Json(0) && plain != Json(false) && plain != Json("");
}

void Keys::require_all_known() const {
  for (const auto& entry : values_.items())
    if (std::find(known_.begin(), known_.end(), entry.key()) == known_.end())
      throw std::invalid_argument(path_ + ": unknown key '" + entry.key() + "'" +
                                  config::suggestion(entry.key(), known_, "known keys"));
}

}  // namespace wafertlm::astra_sim
