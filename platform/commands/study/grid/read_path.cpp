// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/grid/read_path.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/commands/study/grid/pruned_json.h"
#include "platform/text/config_error.h"
#include "platform/text/suggest.h"

namespace wafertlm {
namespace {

using config::quoted;
using config::Taken;
using nlohmann::json;

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw std::invalid_argument("read: " + quoted(path) + ": " + why);
}

[[noreturn]] void fail_no_list(const std::string& path, const std::string& part) {
  fail(path, "what stands before " + quoted(part) + " is no list");
}
[[noreturn]] void fail_no_names(const std::string& path, const std::string& part) {
  fail(path, "what stands before " + quoted(part) + " has no names in it");
}
[[noreturn]] void fail_no_single_value(const std::string& path) {
  fail(path, "is no single value; name one below it");
}
[[noreturn]] void fail_unknown(const std::string& path, const std::string& part,
                               const std::vector<std::string>& names) {
  fail(path, "there is no " + quoted(part) + config::suggestion(part, names, "there are"));
}

/// Of "[0]" or "[-1]" the number, of "[*]" none.
std::optional<long long> place_in_list(const std::string& part, const std::string& path) {
  if (part == "[*]") return std::nullopt;
  long long place = 0;
  const char* const end = part.data() + part.size();
  const auto [rest, error] = std::from_chars(part.data() + 1, end, place);
  if (error != std::errc() || std::string_view(rest, static_cast<std::size_t>(end - rest)) != "]")
    fail(path, quoted(part) + " is no place in a list; write [0], [-1] or [*]");
  return place;
}

/// The items that "[0]", "[-1]" or "[*]" means.
std::vector<const json*> items_of(const json& list, const std::string& part, const std::string& path) {
  if (!list.is_array()) fail_no_list(path, part);
  const std::optional<long long> place = place_in_list(part, path);
  if (!place) {
    std::vector<const json*> items;
    for (const json& item : list) items.push_back(&item);
    return items;
  }
  long long index = *place;
  if (index < 0) index += static_cast<long long>(list.size());
  if (index < 0 || index >= static_cast<long long>(list.size()))
    fail(path, fmt::format("the list has {} items, there is no {}", list.size(), part));
  return {&list[static_cast<std::size_t>(index)]};
}

const json* member_of(const json& map, const std::string& name, const std::string& path) {
  if (!map.is_object()) fail_no_names(path, name);
  if (const auto member = map.find(name); member != map.end()) return &*member;
  std::vector<std::string> names;
  for (const auto& item : map.items()) names.push_back(item.key());
  fail_unknown(path, name, names);
}

json taken_of(const std::vector<const json*>& found, const std::string& path, Taken taken) {
  if (found.empty()) fail(path, "there is none");
  if (taken == Taken::last) return *found.back();
  if (taken == Taken::only) {
    if (found.size() > 1)
      fail(path, "there are several; say which with take: sum, mean, least, most or last");
    return *found.front();
  }
  std::vector<double> numbers;
  for (const json* each : found) {
    if (!each->is_number()) fail(path, "not all of them are numbers");
    numbers.push_back(each->get<double>());
  }
  if (taken == Taken::least) return *std::min_element(numbers.begin(), numbers.end());
  if (taken == Taken::most) return *std::max_element(numbers.begin(), numbers.end());
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  return taken == Taken::sum ? sum : sum / static_cast<double>(numbers.size());
}

/// All that a path leads to; member(of, part) is what stands under a name.
template <typename Member>
std::vector<const json*> all_at(const json& document, const std::string& path, const Member& member) {
  std::vector<const json*> found = {&document};
  for (const std::string& part : parts_of_path(path)) {
    std::vector<const json*> next;
    for (const json* each : found) {
      if (part.front() == '[') {
        const std::vector<const json*> items = items_of(*each, part, path);
        next.insert(next.end(), items.begin(), items.end());
      } else {
        next.push_back(member(*each, part));
      }
    }
    found = std::move(next);
  }
  return found;
}

using Schema = nlohmann::ordered_json;

/// What the references of a schema lead to, null left out.
const Schema& meant(const Schema& schema, const Schema& whole) {
  if (const auto reference = schema.find("$ref"); reference != schema.end())
    return meant(whole.at(Schema::json_pointer(reference->get<std::string>().substr(1))), whole);
  const auto choices = schema.find("oneOf");
  return choices == schema.end() ? schema : meant(choices->back(), whole);
}

/// Whether values of a schema can be of a type; one that says nothing allows all.
bool may_be(const Schema& schema, const std::string& type) {
  const auto types = schema.find("type");
  return types == schema.end() || *types == type ||
         (types->is_array() && std::find(types->begin(), types->end(), type) != types->end());
}

/// What stands under a name: a property, or, where names are free but for a pattern, any of them.
const Schema& property(const Schema& of, const std::string& name, const std::string& path) {
  std::vector<std::string> names;
  if (const auto properties = of.find("properties"); properties != of.end()) {
    if (const auto found = properties->find(name); found != properties->end()) return *found;
    for (const auto& each : properties->items()) names.push_back(each.key());
  }
  const auto others = of.find("additionalProperties");
  if (others == of.end() || !others->is_object()) fail_unknown(path, name, names);
  const auto pattern = of.value(Schema::json_pointer("/propertyNames/pattern"), std::string());
  if (!pattern.empty() && !std::regex_match(name, std::regex(pattern)))
    fail_unknown(path, name, of.at("required").get<std::vector<std::string>>());
  return *others;
}

}  // namespace

json read_path(const json& document, const std::string& path, Taken taken) {
  const std::vector<const json*> found = all_at(
      document, path, [&](const json& of, const std::string& part) { return member_of(of, part, path); });
  json value = taken_of(found, path, taken);
  if (value.is_structured()) fail_no_single_value(path);
  return value;
}

std::string half_width_path(const std::string& path) {
  static const std::regex kBreakdown("breakdown(_min|_mean|_max)?_s\\."), kTime("time_s$");
  if (std::smatch found; std::regex_search(path, found, kBreakdown))
    return found.prefix().str() + "breakdown_half_width_s." + found.suffix().str();
  return std::regex_search(path, kTime) ? path.substr(0, path.size() - 1) + "half_width_s" : "";
}

double read_half_width(const json& document, const std::string& path, Taken taken) {
  static const json kExact;
  std::vector<double> widths;
  for (const json* each : all_at(document, half_width_path(path), [](const json&of, const std::string&part) {
         return of.is_object() && of.contains(part) ? &of.at(part) : &kExact;
       }))
    widths.push_back(each->is_number() ? each->get<double>() : 0);
  if (widths.empty()) return 0;
  if (taken == Taken::last || taken == Taken::only) return widths.back();
  if (taken == Taken::least || taken == Taken::most) return *std::max_element(widths.begin(), widths.end());
  const double sum = std::accumulate(widths.begin(), widths.end(), 0.0);
  return taken == Taken::sum ? sum : sum / static_cast<double>(widths.size());
}

void require_path(const nlohmann::ordered_json& schema, const std::string& path) {
  const Schema* at = &meant(schema, schema);
  for (const std::string& part : parts_of_path(path)) {
    const bool is_item = part.front() == '[';
    if (is_item && !may_be(*at, "array")) fail_no_list(path, part);
    if (!is_item && !may_be(*at, "object")) fail_no_names(path, part);
    if (is_item) place_in_list(part, path);
    at = &meant(is_item ? at->at("items") : property(*at, part, path), schema);
  }
  const bool is_single =
      may_be(*at, "number") || may_be(*at, "integer") || may_be(*at, "string") || may_be(*at, "boolean");
  if (!is_single) fail_no_single_value(path);
}

}  // namespace wafertlm
