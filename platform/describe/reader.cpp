// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/reader.h"

#include <fmt/format.h>

#include <charconv>

#include "platform/text/suggest.h"

namespace wafertlm::config {

std::string join_path(const std::string& path, std::string_view key) {
  return path.empty() || key.front() == '[' ? path + std::string(key) : fmt::format("{}.{}", path, key);
}

std::string item_path(const std::string& path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

Reader Reader::child(std::string_view key, const Node& value) const {
  return {value, join_path(path_, key), origins_};
}

Reader Reader::item(std::size_t index) const {
  return {node_.items[index], item_path(path_, index), origins_};
}

void Reader::record_place() const { origins_.record(path_, {node_.place, ""}); }

Reader Reader::value() const {
  if (!is_annotated(node_)) {
    record_place();
    return *this;
  }
  Origin origin{node_.place, ""};
  for (const Node::Entry& entry : node_.entries) {
    if (entry.key == kProvenanceKey)
      origin.provenance = Reader(entry.value, join_path(path_, entry.key), origins_).scalar("a text");
    else if (entry.key != kValueKey)
      throw ConfigError(
          entry.place,
          fmt::format(
              "unknown key {} in {}{}", quoted(entry.key), path_,
              suggestion(entry.key, {std::string(kValueKey), std::string(kProvenanceKey)}, "valid keys")));
  }
  origins_.record(path_, origin);
  return {*node_.find(kValueKey), path_, origins_};
}

bool Reader::is_later(const SourceLocation& a, const SourceLocation& b) const {
  const auto layer = [&](const SourceLocation& place) {
    return place.line == 0 ? 2 : place.source == node_.place.source ? 1 : 0;
  };
  return layer(a) > layer(b);
}

void Reader::fail(const std::string& message) const {
  throw ConfigError(node_.place, path_.empty() ? message : path_ + ": " + message);
}

void Reader::fail_type(const std::string& expected) const {
  fail("expected " + expected + ", got " + node_.describe());
}

const std::string& Reader::scalar(const std::string& expected) const {
  if (node_.kind != Node::Kind::scalar) fail_type(expected);
  return node_.text;
}

void Reader::require_list(const std::string& expected) const {
  if (node_.kind != Node::Kind::list) fail_type(expected);
}

void Reader::require_map(const std::string& expected) const {
  if (node_.kind != Node::Kind::map) fail_type(expected);
}

std::uint64_t Reader::integer(std::uint64_t least, std::uint64_t most) const {
  const std::string expected = fmt::format("a whole number from {} to {}", least, most);
  const std::string& text = scalar(expected);
  const bool negative = text.size() > 1 && text[0] == '-';
  const std::string_view digits = std::string_view(text).substr(negative ? 1 : 0);
  if (node_.quoted || digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    fail_type(expected);
  std::uint64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool fits = result.ec == std::errc() && (!negative || value == 0);
  if (!fits || value < least || value > most)
    fail(fmt::format("{} is out of range; expected {}", quoted(text), expected));
  return value;
}

bool Reader::boolean() const {
  const std::string& text = scalar("true or false");
  if (node_.quoted || (text != "true" && text != "false")) fail_type("true or false");
  return text == "true";
}

}  // namespace wafertlm::config
