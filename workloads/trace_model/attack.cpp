// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "workloads/trace_model/likeness.h"
#include "workloads/trace_model/shape.h"

namespace wafertlm::trace_model {
namespace {

using chakra::Node;
using statistics::TraceGraph;
using statistics::TraceStatistics;

bool does_something(const Node& node) {
  return node.duration_ps != 0 || bytes_of(node) != 0 || operations_of(node) != 0;
}

/// What an attacker sees of a node: durations (or operations) and sizes of it and of its neighbours, as
/// logarithms.
struct Sight {
  std::array<double, 6> values{};
  std::uint32_t at = 0;  // in the order of the rank
};

double distance(const Sight& a, const Sight& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    sum += (a.values[i] - b.values[i]) * (a.values[i] - b.values[i]);
  return sum;
}

std::vector<Sight> sights(const TraceGraph& graph) {
  std::vector<Sight> all;
  std::vector<std::pair<double, double>> own;
  for (std::uint32_t at = 0; at < graph.order.size(); ++at) {
    const Node& node = graph.nodes[graph.order[at]];
    if (!does_something(node)) continue;
    const double work = node.duration_ps != 0 ? static_cast<double>(node.duration_ps) : operations_of(node);
    const std::uint64_t size = node.comm_size ? *node.comm_size : node.tensor_size.value_or(0);
    own.emplace_back(std::log(work + 1), std::log(static_cast<double>(size) + 1));
    all.emplace_back().at = at;
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      if (i + k >= 1 && i + k - 1 < own.size()) {
        all[i].values[2 * k] = own[i + k - 1].first;
        all[i].values[2 * k + 1] = own[i + k - 1].second;
      }
  return all;
}

/// A name without the numbers in it.
std::string operator_of(const std::string& name) {
  std::string result;
  for (const char each : name)
    if (std::isdigit(static_cast<unsigned char>(each)) == 0) result += each;
  return result;
}

/// How often the most frequent one is there.
std::uint64_t most(const std::map<std::string, std::uint64_t>& counts) {
  std::uint64_t found = 0;
  for (const auto& [name, count] : counts) found = std::max(found, count);
  return found;
}

void attack_rank(const TraceGraph& source, const TraceGraph& made, const std::vector<std::uint32_t>& origin,
                 LayersFound& found) {
  constexpr std::size_t kMostNodes = 1000;
  std::map<std::string, std::vector<Sight>> known;
  std::map<std::string, std::map<std::string, std::uint64_t>> names, operators;
  for (const Sight& each : sights(source)) {
    const Node& node = source.nodes[source.order[each.at]];
    const std::string kind = statistics::class_of(node);
    known[kind].push_back(each);
    ++names[kind][node.name];
    ++operators[kind][operator_of(node.name)];
  }
  const std::vector<Sight> seen = sights(made);
  const std::size_t step = seen.size() / kMostNodes + 1;
  for (std::size_t i = 0; i < seen.size(); i += step) {
    const std::string kind = statistics::class_of(made.nodes[made.order[seen[i].at]]);
    const auto candidates = known.find(kind);
    if (candidates == known.end()) continue;
    const Sight* best = &candidates->second.front();
    double nearest = std::numeric_limits<double>::max();
    for (const Sight& each : candidates->second)
      if (const double far = distance(each, seen[i]); far < nearest) {
        nearest = far;
        best = &each;
      }
    const std::string& guess = source.nodes[source.order[best->at]].name;
    const std::string& truth = source.nodes[source.order[origin[seen[i].at]]].name;
    ++found.nodes;
    found.layers += guess == truth ? 1 : 0;
    found.operators += operator_of(guess) == operator_of(truth) ? 1 : 0;
    const double all = static_cast<double>(candidates->second.size());
    found.layers_by_chance += static_cast<double>(most(names[kind])) / all;
    found.operators_by_chance += static_cast<double>(most(operators[kind])) / all;
  }
}

void add_shares(const std::map<std::string, double>& parts, const std::vector<const char*>& keys,
                std::vector<double>& features) {
  double sum = 0;
  for (const auto& [key, part] : parts) sum += part;
  for (const char* key : keys) {
    const auto found = parts.find(key);
    features.push_back(sum > 0 && found != parts.end() ? found->second / sum : 0);
  }
}

/// Standard deviation over mean, as a value below 1.
double unevenness(const statistics::Distribution& of) {
  if (of.empty() || of.mean() <= 0) return 0;
  double sum = 0;
  for (const double value : of.values()) sum += (value - of.mean()) * (value - of.mean());
  const double relative = std::sqrt(sum / static_cast<double>(of.count())) / of.mean();
  return relative / (1 + relative);
}

}  // namespace

LayersFound attack_layers(const Ranks& source, const Model& model, const Generated& made,
                          const Ranks& graphs) {
  LayersFound found;
  for (const Behaviour& behaviour : model.behaviours) {
    const std::uint32_t rank = behaviour.ranks.front();
    if (rank < graphs.size()) attack_rank(source[rank], graphs[rank], made.source[rank], found);
  }
  return found;
}

std::vector<double> family_features(const TraceStatistics& of) {
  std::map<std::string, double> nodes, bytes, traffic, messages;
  for (const auto& [kind, values] : of.durations_ps) nodes[kind] = static_cast<double>(values.count());
  for (const auto& [kind, values] : of.bytes) bytes[kind] = values.sum();
  for (const auto& [name, sizes] : of.sizes)
    for (const auto& [size, each] : sizes) {
      traffic[name] += static_cast<double>(each.bytes);
      messages[name] += static_cast<double>(each.messages);
    }
  std::vector<double> features;
  const std::vector<const char*> kinds = {"ALL_REDUCE", "ALL_GATHER", "REDUCE_SCATTER", "ALL_TO_ALL",
                                          "BROADCAST",  "REDUCE",     "send",           "memory"};
  const std::vector<const char*> classes = {"mp", "dp", "pp", "ep", "weights"};
  add_shares(bytes, kinds, features);
  nodes.erase("metadata");
  add_shares(nodes, kinds, features);
  add_shares(nodes, {"kernel", "cpu"}, features);
  add_shares(traffic, classes, features);
  add_shares(messages, classes, features);
  for (const char* kind : {"kernel", "cpu"}) {
    const auto found = of.durations_ps.find(kind);
    features.push_back(found == of.durations_ps.end() ? 0 : unevenness(found->second));
  }
  for (const char* kind : {"ALL_REDUCE", "ALL_TO_ALL"}) {
    const auto found = of.bytes.find(kind);
    features.push_back(found == of.bytes.end() ? 0 : unevenness(found->second));
  }
  features.push_back(of.parents.mean() / (1 + of.parents.mean()));
  return features;
}

std::size_t nearest_family(const std::vector<double>& features,
                           const std::vector<std::vector<double>>& known) {
  if (known.empty()) throw std::invalid_argument("no traces to choose from");
  std::size_t best = 0;
  double nearest = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < known.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < features.size(); ++k)
      sum += (features[k] - known[i].at(k)) * (features[k] - known[i].at(k));
    if (sum < nearest) {
      nearest = sum;
      best = i;
    }
  }
  return best;
}

}  // namespace wafertlm::trace_model
