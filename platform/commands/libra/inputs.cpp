// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/inputs.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <stdexcept>

#include "platform/describe/document.h"
#include "platform/text/suggest.h"
#include "tlm/input/number.h"

namespace wafertlm::libra {
namespace {

using config::ConfigError;
using config::Node;

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names = {"Ring", "FullyConnected", "Switch"};
  return names;
}

/// A file with exactly these keys.
class File {
 public:
  File(const std::string& path, std::string what, const std::vector<std::string>& keys)
      : root_(config::load_document(path)), what_(std::move(what)) {
    for (const Node::Entry& entry : root_.entries)
      if (std::find(keys.begin(), keys.end(), entry.key) == keys.end())
        throw ConfigError(entry.place,
                          fmt::format("unknown key {} in a {} of LIBRA{}", config::quoted(entry.key), what_,
                                      config::suggestion(entry.key, keys, "it has")));
  }
  /// The list behind a key; `length` 0: of any length but 0.
  const Node& list(const std::string& key, std::size_t length) const {
    const Node* node = root_.find(key);
    if (node == nullptr) throw ConfigError(root_.place, fmt::format("a {} of LIBRA needs '{}'", what_, key));
    if (node->kind != Node::Kind::list || node->items.empty())
      throw ConfigError(node->place, fmt::format("{}: expected a list, got {}", key, node->describe()));
    if (length != 0 && node->items.size() != length)
      throw ConfigError(node->place,
                        fmt::format("{}: has {} entries for {} dimensions", key, node->items.size(), length));
    return *node;
  }

 private:
  Node root_;
  std::string what_;
};

template <class T>
T number(const Node& node, const std::string& key, const std::string& expected,
         const std::function<bool(T)>& fits) {
  T value{};
  const char* const end = node.text.data() + node.text.size();
  bool is_good = node.kind == Node::Kind::scalar;
  if constexpr (std::is_floating_point_v<T>) {
    const auto read = finite_number(node.text);
    is_good = is_good && read;
    value = read.value_or(0);
  } else {
    const auto [stop, error] = std::from_chars(node.text.data(), end, value);
    is_good = is_good && error == std::errc() && stop == end;
  }
  if (!is_good || !fits(value))
    throw ConfigError(node.place, fmt::format("{}: expected {}, got {}", key, expected, node.describe()));
  return value;
}

}  // namespace

const char* to_string(Shape shape) { return shape_names()[static_cast<std::size_t>(shape)].c_str(); }

std::uint64_t Network::npus() const {
  std::uint64_t product = 1;
  for (const NetworkDimension& dimension : dimensions) product *= dimension.size;
  return product;
}

Network read_network(const std::string& path) {
  const File file(path, "network file", {"Topology", "NpusCount", "CostDimension"});
  const Node& shapes = file.list("Topology", 0);
  const std::size_t count = shapes.items.size();
  const Node &sizes = file.list("NpusCount", count), &classes = file.list("CostDimension", count);
  constexpr std::size_t kMostDimensions = 16;
  if (count > kMostDimensions)
    throw ConfigError(shapes.place, fmt::format("Topology: at most {} dimensions", kMostDimensions));
  Network network;
  double npus = 1;
  for (std::size_t d = 0; d < count; ++d) {
    const auto name = std::find(shape_names().begin(), shape_names().end(), shapes.items[d].text);
    if (name == shape_names().end())
      throw ConfigError(shapes.items[d].place,
                        fmt::format("Topology: unknown {}{}", config::quoted(shapes.items[d].text),
                                    config::suggestion(shapes.items[d].text, shape_names(), "topologies")));
    const auto size = number<std::uint32_t>(sizes.items[d], "NpusCount", "2 NPUs or more in a dimension",
                                            [](std::uint32_t value) { return value >= 2; });
    npus *= size;
    if (npus > 1e9) throw ConfigError(sizes.place, "NpusCount: more than 10^9 NPUs in all");
    network.dimensions.push_back(
        {static_cast<Shape>(name - shape_names().begin()), size, classes.items[d].text});
  }
  return network;
}

Communicator read_communicator(const std::string& path, const Network& network) {
  const std::array<std::string, astra_text::kPasses> keys = {"Forward", "InputGrad", "WeightGrad"};
  const File file(path, "communicator file", {keys.begin(), keys.end()});
  Communicator communicator;
  for (std::size_t pass = 0; pass < keys.size(); ++pass) {
    const Node& list = file.list(keys[pass], network.dimensions.size());
    for (std::size_t d = 0; d < list.items.size(); ++d) {
      const std::uint32_t size = network.dimensions[d].size;
      communicator[pass].push_back(number<int>(
          list.items[d], keys[pass],
          fmt::format("-1, or a group size that divides the {} NPUs of dimension {}", size, d),
          [&](int value) { return value == -1 || (value > 0 && size % static_cast<unsigned>(value) == 0); }));
    }
  }
  return communicator;
}

CostModel read_cost_model(const std::string& path) {
  const Node root = config::load_document(path);
  CostModel model;
  for (const Node::Entry& entry : root.entries) {
    if (entry.value.kind != Node::Kind::map)
      throw ConfigError(entry.value.place, fmt::format("{}: expected prices such as {{Link: 4.0}}, got {}",
                                                       entry.key, entry.value.describe()));
    CostClass& prices = model[entry.key];
    for (const Node::Entry& each : entry.value.entries) {
      const double price = number<double>(each.value, entry.key + "." + each.key, "$ per GB/s, 0 or more",
                                          [](double value) { return value >= 0 && value < 1e12; });
      if (each.key == "Link")
        prices.link = price;
      else if (each.key == "Switch")
        prices.switch_port = price;
      else if (each.key == "Nic")
        prices.nic = price;
      else
        throw ConfigError(each.place,
                          fmt::format("{}: unknown key {}{}", entry.key, config::quoted(each.key),
                                      config::suggestion(each.key, {"Link", "Switch", "Nic"}, "parts")));
      prices.has_switch = prices.has_switch || each.key == "Switch";
    }
    if (entry.value.find("Link") == nullptr)
      throw ConfigError(entry.value.place, entry.key + ": has no price of a Link");
  }
  return model;
}

std::vector<double> price_per_bandwidth(const Network& network, const CostModel& costs) {
  std::vector<double> prices;
  std::vector<std::string> names;
  for (const auto& each : costs) names.push_back(each.first);
  for (const NetworkDimension& dimension : network.dimensions) {
    const auto found = costs.find(dimension.cost_class);
    if (found == costs.end())
      throw std::invalid_argument(fmt::format("the cost model has no prices of {}{}", dimension.cost_class,
                                              config::suggestion(dimension.cost_class, names, "classes")));
    const CostClass& price = found->second;
    if (dimension.shape == Shape::switched && !price.has_switch)
      throw std::invalid_argument(
          fmt::format("the cost model has no Switch price of {}, which a dimension of switches needs",
                      dimension.cost_class));
    prices.push_back(dimension.shape == Shape::switched ? price.link + price.switch_port + price.nic
                                                        : price.link);
  }
  return prices;
}

LoadCollectives collectives_of(const Load& load) {
  LoadCollectives found;
  for (const astra_text::Layer& layer : load.workload.layers)
    for (std::size_t pass = 0; pass < astra_text::kPasses; ++pass) {
      const astra_text::Phase& phase = layer.phases[pass];
      if (!phase.communicates) continue;
      const auto bytes = static_cast<double>(phase.bytes);
      std::vector<double> sent =
          astra_text::bytes_by_dimension(phase.collective, bytes, load.communicator[pass]);
      if (std::any_of(sent.begin(), sent.end(), [](double each) { return each > 0; }))
        found.all.push_back({phase.collective, bytes, load.communicator[pass], std::move(sent)});
      else
        ++found.without_group;
    }
  return found;
}

BandwidthProblem time_problem(const Load& load, const Network& network, std::size_t& without_group) {
  BandwidthProblem problem;
  problem.dimensions = network.dimensions.size();
  problem.constant = load.workload.compute_ns();
  LoadCollectives collectives = collectives_of(load);
  for (LoadCollective& each : collectives.all) problem.terms.push_back({1, std::move(each.sent)});
  without_group += collectives.without_group;
  return problem;
}

std::vector<double> traffic(const BandwidthProblem& time) {
  std::vector<double> bytes(time.dimensions, 0);
  for (const Term& term : time.terms)
    for (std::size_t d = 0; d < time.dimensions; ++d) bytes[d] += term.weight * term.amounts[d];
  return bytes;
}

double link_share(const NetworkDimension& dimension) {
  if (dimension.shape == Shape::ring) return dimension.size == 2 ? 1 : 0.5;
  return dimension.shape == Shape::fully_connected ? 1.0 / (dimension.size - 1) : 1;
}

std::vector<std::vector<double>> wire_factors(const Load& load, const Network& network) {
  std::vector<std::vector<double>> wires;
  for (const LoadCollective& each : collectives_of(load).all) {
    wires.emplace_back();
    for (std::size_t d = 0; d < each.groups.size(); ++d) {
      const NetworkDimension& dimension = network.dimensions[d];
      const bool is_part = dimension.shape == Shape::fully_connected && each.groups[d] > 1;
      wires.back().push_back(is_part ? (dimension.size - 1.0) / (each.groups[d] - 1.0) : 1);
    }
  }
  return wires;
}

}  // namespace wafertlm::libra
