// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/graph/infragraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "platform/text/suggest.h"

namespace wafertlm::config {
namespace {

constexpr std::size_t kMostVertices = 65'536, kMostEdges = 1'000'000;
constexpr std::uint32_t kMostNesting = 8;

const Node& required(const Node& map, std::string_view key) {
  const Node* const value = map.find(key);
  if (!value) throw ConfigError(map.place, fmt::format("'{}' is missing", key));
  return *value;
}

const std::string& text_of(const Node& map, std::string_view key) {
  const Node& value = required(map, key);
  if (value.kind != Node::Kind::scalar)
    throw ConfigError(value.place, fmt::format("'{}' must be a text, got {}", key, value.describe()));
  return value.text;
}

double number_of(const Node& value) {
  double number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [rest, error] = std::from_chars(value.text.data(), end, number);
  if (value.kind != Node::Kind::scalar || error != std::errc() || rest != end ||
      !(number >= 0 && number < 1e12))
    throw ConfigError(value.place, "expected a number from 0 to 1e12, got " + value.describe());
  return number;
}

std::uint32_t count_of(const Node& map) {
  const Node& value = required(map, "count");
  const double number = number_of(value);
  if (number != std::uint32_t(number) || number > kMostVertices)
    throw ConfigError(value.place, fmt::format("expected a whole number up to {}, got {}", kMostVertices,
                                               value.describe()));
  return static_cast<std::uint32_t>(number);
}

std::vector<Node> items(const Node& map, std::string_view key) {
  const Node* const value = map.find(key);
  if (!value || value->kind == Node::Kind::empty) return {};
  if (value->kind != Node::Kind::list)
    throw ConfigError(value->place, fmt::format("'{}' must be a list, got {}", key, value->describe()));
  return value->items;
}

/// Those of a list by `name`.
std::map<std::string, Node> by_name(const Node& map, std::string_view key) {
  std::map<std::string, Node> named;
  for (const Node& each : items(map, key))
    if (!named.emplace(text_of(each, "name"), each).second)
      throw ConfigError(each.place, "there are two " + config::quoted(text_of(each, "name")));
  return named;
}

const Node& named(const std::map<std::string, Node>& all, const std::string& name,
                  const SourceLocation& place) {
  const auto found = all.find(name);
  if (found != all.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [each, node] : all) names.push_back(each);
  throw ConfigError(place, "there is no " + config::quoted(name) + suggestion(name, names, "there are"));
}

/// `name`, `name[2]`, `name[1:5]` or `name[0:8:2]`, as Python counts.
struct Slice {
  std::string name;
  std::vector<std::uint32_t> indices;

  Slice(const std::string& text, std::uint32_t count, const SourceLocation& place) {
    const std::size_t open = text.find('[');
    name = text.substr(0, open);
    std::vector<std::optional<std::uint32_t>> parts;
    const auto fail = [&](const std::string& why) {
      throw ConfigError(place, fmt::format("{} in {}: {}", config::quoted(text), config::quoted(name), why));
    };
    if (open != std::string::npos) {
      if (text.back() != ']') fail("a slice ends with ]");
      std::string inside = text.substr(open + 1, text.size() - open - 2) + ":";
      for (std::size_t at = 0, end; (end = inside.find(':', at)) != std::string::npos; at = end + 1) {
        std::uint32_t value = 0;
        const char *const first = inside.data() + at, *const last = inside.data() + end;
        const auto [rest, error] = std::from_chars(first, last, value);
        if (first != last && (error != std::errc() || rest != last))
          fail("an index is a whole number from 0 on");
        parts.push_back(first == last ? std::nullopt : std::optional(value));
      }
      if (parts.size() > 3) fail("a slice is first:behind the last:step");
    }
    const bool is_one = parts.size() == 1 && parts[0];
    const std::uint32_t begin = parts.empty() ? 0 : parts[0].value_or(0);
    const std::uint32_t end = is_one ? begin + 1 : parts.size() > 1 ? parts[1].value_or(count) : count;
    const std::uint32_t step = parts.size() > 2 ? parts[2].value_or(1) : 1;
    if (end > count) fail(fmt::format("there are {}", count));
    if (step == 0) fail("a step of 0");
    for (std::uint32_t i = begin; i < end; i += step) indices.push_back(i);
  }
};

class Expansion {
 public:
  explicit Expansion(const Node& infrastructure)
      : infrastructure_(infrastructure),
        devices_(by_name(infrastructure, "devices")),
        instances_(by_name(infrastructure, "instances")) {}

  Node graph() {
    for (const Node& instance : items(infrastructure_, "instances"))
      for (std::uint32_t i = 0; i < count_of(instance); ++i)
        add_device(device_of(instance), fmt::format("{}_{}", text_of(instance, "name"), i), 0);
    const auto links = by_name(infrastructure_, "links");
    for (const Node& edge : items(infrastructure_, "edges"))
      connect(edge, links, ends_of_instance(required(edge, "ep1")), ends_of_instance(required(edge, "ep2")));
    Node graph;
    graph.place = infrastructure_.place;
    graph.add("graph", name());
    graph.add("npus", Node::scalar(std::to_string(npus_), required(infrastructure_, "instances").place));
    std::vector<Node> switches, list;
    std::set<std::string> connected;
    for (const auto& [ends, link] : links_) {
      connected.insert({ends.first, ends.second});
      list.push_back(
          Node::map({{"from", Node::string(ends.first, link.place)},
                     {"to", Node::string(ends.second, link.place)},
                     {"bandwidth", Node::scalar(fmt::format("{} B/s", link.bytes_per_s), link.place)},
                     {"latency", Node::scalar(fmt::format("{} ps", link.latency_ps), link.place)}}));
    }
    for (const auto& [vertex, place] : switches_)
      if (connected.count(vertex) != 0)
        switches.push_back(Node::map({{"name", Node::string(vertex, place)}}));
    graph.add("switches", Node::list(std::move(switches)));
    graph.add("links", Node::list(std::move(list)));
    return graph;
  }

 private:
  struct Link {
    std::uint64_t bytes_per_s, latency_ps;
    SourceLocation place;
  };
  using Ends = std::vector<std::string>;

  Node name() const {
    const Node* const name = infrastructure_.find("name");
    return name ? *name : Node::string("InfraGraph", infrastructure_.place);
  }
  const Node& device_of(const Node& instance) const {
    return named(devices_, text_of(instance, "device"), required(instance, "device").place);
  }
  const std::string& vertex(const std::string& path, const SourceLocation& place) const {
    const auto found = vertices_.find(path);
    if (found == vertices_.end()) throw ConfigError(place, "there is no component " + config::quoted(path));
    return found->second;
  }

  /// Its components as vertices, and its edges.
  void add_device(const Node& device, const std::string& path, std::uint32_t depth) {
    if (depth > kMostNesting) throw ConfigError(device.place, "a device that holds itself");
    if (++expanded_ > kMostVertices)
      throw ConfigError(device.place, fmt::format("more than {} devices", kMostVertices));
    for (const Node& component : items(device, "components")) {
      const std::string& name = text_of(component, "name");
      const std::string& kind = text_of(component, "choice");
      for (std::uint32_t i = 0; i < count_of(component); ++i) {
        const std::string below = fmt::format("{}_{}_{}", path, name, i);
        if (kind == "device") {
          add_device(named(devices_, name, component.place), below, depth + 1);
          continue;
        }
        if (vertices_.size() >= kMostVertices)
          throw ConfigError(component.place, fmt::format("more than {} components", kMostVertices));
        const bool is_npu = kind == "xpu";
        if (!vertices_.emplace(below, is_npu ? fmt::format("npu{}", npus_) : below).second)
          throw ConfigError(component.place, "there are two " + config::quoted(below));
        if (is_npu)
          ++npus_;
        else
          switches_.emplace_back(below, component.place);
      }
    }
    const auto links = by_name(device, "links");
    for (const Node& edge : items(device, "edges"))
      connect(edge, links, ends_of_device(device, path, required(edge, "ep1")),
              ends_of_device(device, path, required(edge, "ep2")));
  }

  /// What "cx5[0:2].port[0]" names below a path of a device.
  Ends ends_below(const Node& device, const std::string& path, const std::string& text,
                  const SourceLocation& place) const {
    const std::size_t dot = text.find('.');
    const std::string first = text.substr(0, dot);
    const auto components = by_name(device, "components");
    const Node& component = named(components, first.substr(0, first.find('[')), place);
    const Slice slice(first, count_of(component), place);
    Ends ends;
    for (const std::uint32_t i : slice.indices) {
      const std::string below = fmt::format("{}_{}_{}", path, slice.name, i);
      if (dot == std::string::npos) {
        ends.push_back(vertex(below, place));
        continue;
      }
      const Ends inside = ends_below(named(devices_, slice.name, place), below, text.substr(dot + 1), place);
      ends.insert(ends.end(), inside.begin(), inside.end());
    }
    return ends;
  }
  Ends ends_of_device(const Node& device, const std::string& path, const Node& end) const {
    const Node* const nested = end.find("device");
    return ends_below(device, path, (nested ? text_of(end, "device") + "." : "") + text_of(end, "component"),
                      end.place);
  }
  Ends ends_of_instance(const Node& end) const {
    const std::string& text = text_of(end, "instance");
    const Node& instance = named(instances_, text.substr(0, text.find('[')), end.place);
    const Slice slice(text, count_of(instance), end.place);
    Ends ends;
    for (const std::uint32_t i : slice.indices) {
      const Ends inside = ends_below(device_of(instance), fmt::format("{}_{}", slice.name, i),
                                     text_of(end, "component"), end.place);
      ends.insert(ends.end(), inside.begin(), inside.end());
    }
    return ends;
  }

  void connect(const Node& edge, const std::map<std::string, Node>& links, const Ends& from, const Ends& to) {
    const Link link = link_of(named(links, text_of(edge, "link"), required(edge, "link").place), edge.place);
    const std::string& scheme = text_of(edge, "scheme");
    if (scheme == "many2many") {
      for (const std::string& a : from)
        for (const std::string& b : to) add_link(a, b, link);
      return;
    }
    if (scheme != "one2one")
      throw ConfigError(
          required(edge, "scheme").place,
          fmt::format("the scheme {} is not read; there are one2one and many2many", config::quoted(scheme)));
    if (from.size() != to.size())
      throw ConfigError(edge.place, fmt::format("one2one between {} and {} ends", from.size(), to.size()));
    for (std::size_t i = 0; i < from.size(); ++i) add_link(from[i], to[i], link);
  }

  static Link link_of(const Node& link, const SourceLocation& place) {
    const Node& bandwidth = required(required(link, "physical"), "bandwidth");
    const std::string& unit = text_of(bandwidth, "choice");
    if (unit != "gigabits_per_second" && unit != "gigabytes_per_second")
      throw ConfigError(bandwidth.place, fmt::format("{} says nothing of lanes; give gigabits_per_second or "
                                                     "gigabytes_per_second",
                                                     unit));
    const double bytes = number_of(required(bandwidth, unit)) * (unit == "gigabits_per_second" ? 125e6 : 1e9);
    if (bytes < 1 || bytes > 1e15)
      throw ConfigError(required(bandwidth, unit).place, "a link needs from 1 B/s to 1 PB/s");
    double ps = 1;  // a graph has no link and switch that take no time
    if (const Node* const latency = required(link, "physical").find("latency")) {
      const std::map<std::string, double> units = {{"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}};
      const std::string& of = text_of(*latency, "choice");
      const auto found = units.find(of);
      if (found == units.end()) throw ConfigError(latency->place, "a latency is in ms, us or ns");
      ps = std::max(ps, number_of(required(*latency, of)) * found->second);
      if (ps > 10e12) throw ConfigError(latency->place, "a latency of more than 10 s");
    }
    return {static_cast<std::uint64_t>(bytes), static_cast<std::uint64_t>(ps), place};
  }

  void add_link(const std::string& a, const std::string& b, const Link& link) {
    if (a == b) return;
    const bool known_reverse = links_.count({b, a}) != 0;
    const auto [found, is_new] = links_.emplace(known_reverse ? std::pair(b, a) : std::pair(a, b), link);
    if (links_.size() > kMostEdges)
      throw ConfigError(link.place, fmt::format("more than {} edges", kMostEdges));
    if (is_new) return;
    if (found->second.latency_ps != link.latency_ps)
      throw ConfigError(link.place, fmt::format("{} and {} have edges of different latency", a, b));
    found->second.bytes_per_s += link.bytes_per_s;
  }

  const Node& infrastructure_;
  std::map<std::string, Node> devices_, instances_;
  std::map<std::string, std::string> vertices_;  // path to name
  std::vector<std::pair<std::string, SourceLocation>> switches_;
  std::map<std::pair<std::string, std::string>, Link> links_;
  std::size_t npus_ = 0, expanded_ = 0;  // devices
};

const Node& infrastructure_of(const Node& document) {
  const Node* const inner = document.find("infrastructure");
  return inner ? *inner : document;
}

}  // namespace

bool is_infragraph(const Node& document) {
  const Node& at = infrastructure_of(document);
  return !document.find("graph") && at.find("devices") && at.find("instances");
}

Node graph_of_infragraph(const Node& document) { return Expansion(infrastructure_of(document)).graph(); }

}  // namespace wafertlm::config
