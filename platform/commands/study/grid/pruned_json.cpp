// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/grid/pruned_json.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

namespace wafertlm {
namespace {

using nlohmann::json;

/// What is wanted of a value: all of it, or what is below, by part of a path.
struct Wanted {
  bool whole = false;
  std::map<std::string, Wanted> below;
};
using Wishes = std::vector<const Wanted*>;

struct Unexpected {};  // no JSON: let the parser say what is wrong

/// Passes over JSON without taking it apart.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) { skip_space(); }

  bool is_over() const { return at_ == text_.size(); }
  char next() const { return is_over() ? '\0' : text_[at_]; }
  bool take(char character) {
    if (next() != character) return false;
    ++at_;
    skip_space();
    return true;
  }
  void expect(char character) {
    if (!take(character)) throw Unexpected();
  }
  /// The text of the value that begins here.
  std::string_view value() {
    const std::size_t begin = at_;
    if (next() == '"') {
      skip_string();
    } else if (next() == '{' || next() == '[') {
      skip_nested();
    } else {
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    }
    if (at_ == begin) throw Unexpected();
    const std::string_view found = text_.substr(begin, at_ - begin);
    skip_space();
    return found;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }
  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    if (at_++ >= text_.size()) throw Unexpected();
  }
  void skip_nested() {
    int depth = 0;
    do {
      at_ = text_.find_first_of("\"{}[]", at_);
      if (at_ == std::string_view::npos) throw Unexpected();
      if (text_[at_] == '"') {
        skip_string();
        continue;
      }
      depth += text_[at_] == '{' || text_[at_] == '[' ? 1 : -1;
      ++at_;
    } while (depth > 0);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

json pruned(std::string_view text, const Wishes& wishes);

void add_below(const Wishes& wishes, const std::string& part, Wishes& to) {
  for (const Wanted* wish : wishes)
    if (const auto below = wish->below.find(part); below != wish->below.end()) to.push_back(&below->second);
}

json pruned_map(Scan scan, const Wishes& wishes) {
  json map = json::object();
  scan.expect('{');
  for (bool first = true; !scan.take('}'); first = false) {
    if (!first) scan.expect(',');
    if (scan.next() != '"') throw Unexpected();
    const std::string name = json::parse(scan.value());
    scan.expect(':');
    Wishes own;
    add_below(wishes, name, own);
    map[name] = pruned(scan.value(), own);
  }
  if (!scan.is_over()) throw Unexpected();
  return map;
}

json pruned_list(Scan scan, const Wishes& wishes) {
  std::vector<std::string_view> items;
  scan.expect('[');
  while (!scan.take(']')) {
    if (!items.empty()) scan.expect(',');
    items.push_back(scan.value());
  }
  if (!scan.is_over()) throw Unexpected();
  std::map<std::size_t, Wishes> places;
  Wishes all;
  add_below(wishes, "[*]", all);
  for (const Wanted* wish : wishes)
    for (const auto& [part, below] : wish->below) {
      long long place = 0;
      if (part.front() != '[' ||
          std::from_chars(part.data() + 1, part.data() + part.size(), place).ec != std::errc())
        continue;
      if (place < 0) place += static_cast<long long>(items.size());
      if (place >= 0) places[static_cast<std::size_t>(place)].push_back(&below);
    }
  json list = json::array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    Wishes own = all;
    if (const auto found = places.find(i); found != places.end())
      own.insert(own.end(), found->second.begin(), found->second.end());
    list.push_back(pruned(items[i], own));
  }
  return list;
}

json pruned(std::string_view text, const Wishes& wishes) {
  if (wishes.empty()) return nullptr;
  for (const Wanted* wish : wishes)
    if (wish->whole) return json::parse(text);
  if (text.front() == '{') return pruned_map(Scan(text), wishes);
  if (text.front() == '[') return pruned_list(Scan(text), wishes);
  return json::parse(text);
}

}  // namespace

std::vector<std::string> parts_of_path(const std::string& path) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : path) {
    if ((c == '.' || c == '[') && !part.empty()) parts.push_back(std::exchange(part, ""));
    if (c != '.') part += c;
  }
  if (!part.empty()) parts.push_back(part);
  return parts;
}

json pruned_json(const std::string& text, const std::vector<std::string>& paths) {
  Wanted all;
  for (const std::string& path : paths) {
    Wanted* at = &all;
    for (const std::string& part : parts_of_path(path)) at = &at->below[part];
    at->whole = true;
  }
  try {
    Scan scan(text);
    const std::string_view value = scan.value();
    if (scan.is_over()) return pruned(value, {&all});
  } catch (const Unexpected&) {
  }
  return json::parse(text);
}

}  // namespace wafertlm
