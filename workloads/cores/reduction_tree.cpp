// SPDX-License-Identifier: Apache-2.0
#include "workloads/cores/reduction_tree.h"

#include <algorithm>
#include <cmath>

namespace wafertlm::cores {
namespace {

ReductionTree empty_tree(std::uint32_t places) {
  return {std::vector<std::vector<std::uint32_t>>(places), 0, std::vector<bool>(places, true)};
}

std::uint32_t square_root(std::uint32_t of) { return static_cast<std::uint32_t>(std::lround(std::sqrt(of))); }

/// Makes chains of the places from `first` to before `last` towards `middle`, which is among them.
void chain_towards(ReductionTree& tree, std::uint32_t first, std::uint32_t last, std::uint32_t middle) {
  for (std::uint32_t place = first; place < middle; ++place) tree.children[place + 1].push_back(place);
  for (std::uint32_t place = last - 1; place > middle; --place) tree.children[place - 1].push_back(place);
}

}  // namespace

ReductionTree star_tree(std::uint32_t places) {
  ReductionTree tree = empty_tree(places);
  for (std::uint32_t place = 1; place < places; ++place) tree.children[0].push_back(place);
  return tree;
}

ReductionTree chain_tree(std::uint32_t places) {
  ReductionTree tree = empty_tree(places);
  for (std::uint32_t place = 1; place < places; ++place) tree.children[place - 1].push_back(place);
  return tree;
}

ReductionTree binomial_tree(std::uint32_t places) {
  ReductionTree tree = empty_tree(places);
  for (std::uint32_t step = 1; step < places; step *= 2)
    for (std::uint32_t place = step; place < places; place += 2 * step)
      tree.children[place - step].push_back(place);
  tree.passes_on.assign(places, false);
  return tree;
}

ReductionTree two_phase_tree(std::uint32_t places) {
  ReductionTree tree = empty_tree(places);
  const std::uint32_t group = std::max<std::uint32_t>(1, square_root(places));
  for (std::uint32_t first = 0; first < places; first += group)
    chain_towards(tree, first, std::min(places, first + group), first);
  for (std::uint32_t first = group; first < places; first += group)
    tree.children[first - group].push_back(first);
  tree.passes_on[(places - 1) / group * group] =
      false;  // the last group's first place only has its own chain
  return tree;
}

std::uint32_t middle_groups(std::uint32_t places) {
  std::uint32_t groups = 1;
  for (std::uint32_t each = 1; each * each <= places; ++each)
    if (places % each == 0) groups = each;
  return groups;
}

ReductionTree middle_tree(std::uint32_t places) {
  ReductionTree tree = empty_tree(places);
  const std::uint32_t groups = middle_groups(places), group = places / groups, middle = group / 2;
  for (std::uint32_t k = 0; k < groups; ++k)
    chain_towards(tree, k * group, (k + 1) * group, k * group + middle);
  const std::uint32_t root = groups / 2;
  for (std::uint32_t k = 0; k < root; ++k)
    tree.children[(k + 1) * group + middle].push_back(k * group + middle);
  for (std::uint32_t k = groups - 1; k > root; --k)
    tree.children[(k - 1) * group + middle].push_back(k * group + middle);
  tree.root = root * group + middle;
  tree.passes_on[middle] = false;
  tree.passes_on[(groups - 1) * group + middle] = false;
  return tree;
}

TreeCost cost_of(const ReductionTree& tree, std::uint32_t wavelets) {
  TreeCost cost;
  std::vector<std::uint32_t> order{tree.root};
  std::vector<Cycle> depth(tree.size(), 0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint32_t parent = order[k];
    cost.contention = std::max(cost.contention, Cycle{wavelets} * tree.children[parent].size());
    for (const std::uint32_t child : tree.children[parent]) {
      depth[child] = depth[parent] + 1;
      cost.depth = std::max(cost.depth, depth[child]);
      cost.energy += Cycle{wavelets} * (child > parent ? child - parent : parent - child);
      cost.distance =
          std::max<Cycle>(cost.distance, child > tree.root ? child - tree.root : tree.root - child);
      order.push_back(child);
    }
  }
  cost.links = tree.size() - 1;
  return cost;
}

double modelled_cycles(const TreeCost& cost, Cycle ramp) {
  if (cost.links == 0) return 0;
  return std::max(static_cast<double>(cost.contention),
                  static_cast<double>(cost.energy) / static_cast<double>(cost.links)) +
         static_cast<double>(cost.distance + (2 * ramp + 1) * cost.depth);
}

CoreIndex add_reduction(CoreProgram& program, const std::vector<CoreIndex>& line, const ReductionTree& tree,
                        std::uint32_t wavelets) {
  std::vector<RouteIndex> to_parent(line.size(), 0);
  for (std::uint32_t parent = 0; parent < tree.size(); ++parent)
    for (const std::uint32_t child : tree.children[parent])
      to_parent[child] = program.route(line[child], line[parent]);
  for (std::uint32_t place = 0; place < tree.size(); ++place) {
    const auto& children = tree.children[place];
    const bool is_root = place == tree.root;
    for (std::size_t k = 0; k < children.size(); ++k)
      if (is_root || k + 1 < children.size() || !tree.passes_on[place])
        program.add(line[place], to_parent[children[k]], wavelets);
      else
        program.forward(line[place], to_parent[children[k]], to_parent[place], wavelets);
    if (!is_root && (children.empty() || !tree.passes_on[place]))
      program.send(line[place], to_parent[place], wavelets);
  }
  return line[tree.root];
}

void add_flood(CoreProgram& program, CoreIndex root, std::uint32_t wavelets) {
  if (program.cores.size() == 1) return;
  const RouteIndex out = program.flood(root);
  program.send(root, out, wavelets);
  for (CoreIndex core = 0; core < program.cores.size(); ++core)
    if (core != root) program.store(core, out, wavelets);
  ++program.colours;
}

}  // namespace wafertlm::cores
