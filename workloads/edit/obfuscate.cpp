// SPDX-License-Identifier: Apache-2.0
#include "workloads/edit/obfuscate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "tlm/kernel/splitmix64.h"
#include "workloads/statistics/duration_grid.h"
#include "workloads/statistics/trace_statistics.h"

namespace wafertlm::edit {
namespace {

using chakra::Node;
using splitmix64::mixed;

/// From 1 - bound to 1 + bound, the same for the same key.
double factor(double bound, std::uint64_t seed, std::uint64_t key) {
  const double uniform = splitmix64::unit(mixed(mixed(seed) ^ key));
  return 1 + bound * (2 * uniform - 1);
}

/// Within the bound; something stays something.
std::uint64_t changed_value(std::uint64_t value, double bound, std::uint64_t seed, std::uint64_t key) {
  if (value == 0) return 0;
  const double exact = static_cast<double>(value) * factor(bound, seed, key);
  const double least = std::ceil(static_cast<double>(value) * (1 - bound));
  const double most = std::floor(static_cast<double>(value) * (1 + bound));
  return static_cast<std::uint64_t>(std::clamp(std::round(exact), std::max(least, 1.0), std::max(most, 1.0)));
}

void change(std::optional<std::uint64_t>& value, const ObfuscateOptions& options) {
  if (value) value = changed_value(*value, options.bound, options.seed, *value);
}

bool matters(const Node& node) {
  return node.duration_ps != 0 || node.comm_size.value_or(0) != 0 || node.num_ops.value_or(0) != 0 ||
         node.tensor_size.value_or(0) != 0;
}

/// What an attacker sees of a node.
struct Seen {
  double duration = 0, size = 0;  // logarithms
  const std::string* name = nullptr;
};

Seen seen(const Node& node) {
  const std::uint64_t size = node.comm_size ? *node.comm_size : node.tensor_size.value_or(0);
  return {std::log(static_cast<double>(node.duration_ps) + 1), std::log(static_cast<double>(size) + 1),
          &node.name};
}

/// The nearest in duration and size among those of a class, sorted by duration.
const Seen& nearest(const std::vector<Seen>& all, const Seen& to) {
  const auto distance = [&](const Seen& each) {
    return std::hypot(each.duration - to.duration, each.size - to.size);
  };
  const auto start = static_cast<std::size_t>(
      std::lower_bound(all.begin(), all.end(), to.duration,
                       [](const Seen& each, double duration) { return each.duration < duration; }) -
      all.begin());
  std::size_t best = std::min(start, all.size() - 1);
  for (std::size_t i = start; i < all.size() && all[i].duration - to.duration <= distance(all[best]); ++i)
    if (distance(all[i]) < distance(all[best])) best = i;
  for (std::size_t i = start; i-- > 0 && to.duration - all[i].duration <= distance(all[best]);)
    if (distance(all[i]) < distance(all[best])) best = i;
  return all[best];
}

}  // namespace

void obfuscate(Nodes& nodes, std::uint32_t rank, const ObfuscateOptions& options) {
  std::unordered_map<std::uint64_t, std::uint64_t> ids;
  for (const Node& node : nodes) ids.emplace(node.id, ids.size() + 1);
  // Where all three dimensions change, their product is within the bound.
  const double of_dimension = std::cbrt(1 + options.bound) - 1;
  const std::uint64_t of_rank = mixed(options.seed + mixed(rank + std::uint64_t{1}));
  for (Node& node : nodes) {
    node.name = statistics::class_of(node);
    node.id = ids.at(node.id);
    for (auto* list : {&node.ctrl_deps, &node.data_deps})
      for (std::uint64_t& parent : *list)
        if (const auto found = ids.find(parent); found != ids.end()) parent = found->second;
    node.duration_ps =
        statistics::off_grid(node.duration_ps, options.grid_ps, options.bound, mixed(of_rank ^ node.id));
    change(node.comm_size, options);
    for (auto* list : {&node.send_bytes, &node.receive_bytes})
      for (std::uint64_t& bytes : *list) bytes = changed_value(bytes, options.bound, options.seed, bytes);
    change(node.num_ops, options);
    change(node.tensor_size, options);
    for (MatrixProduct& product : node.products)
      for (std::uint64_t* dimension : {&product.m, &product.n, &product.k})
        *dimension = changed_value(*dimension, of_dimension, options.seed, *dimension);
  }
}

void attack(const Nodes& source, const Nodes& changed, Reidentification& found) {
  std::map<std::string, std::vector<Seen>> classes;
  std::map<std::string, std::map<std::string, std::uint64_t>> names;
  for (const Node& node : source)
    if (matters(node)) {
      const std::string kind = statistics::class_of(node);
      classes[kind].push_back(seen(node));
      ++names[kind][node.name];
    }
  for (auto& [kind, all] : classes) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Seen& a, const Seen& b) { return a.duration < b.duration; });
    std::uint64_t most = 0;
    for (const auto& [name, count] : names[kind]) most = std::max(most, count);
    found.nodes += all.size();
    found.by_chance += most;
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (!matters(source[i])) continue;
    const Seen& guess = nearest(classes[statistics::class_of(source[i])], seen(changed[i]));
    if (*guess.name == source[i].name) ++found.right;
  }
}

std::uint64_t longest_identical_run(const Nodes& source, const Nodes& changed, TimePs grid_ps) {
  std::uint64_t longest = 0, run = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const Node &a = source[i], &b = changed[i];
    if (!matters(a)) continue;
    const bool same =
        a.type == b.type &&
        statistics::on_grid(a.duration_ps, grid_ps) == statistics::on_grid(b.duration_ps, grid_ps) &&
        a.comm_size == b.comm_size && a.num_ops == b.num_ops && a.tensor_size == b.tensor_size;
    run = same ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace wafertlm::edit
