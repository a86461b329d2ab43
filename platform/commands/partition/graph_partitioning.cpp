// SPDX-License-Identifier: Apache-2.0
#include <metis.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "platform/commands/partition/assignment.h"
#include "platform/commands/partition/partitioners.h"

namespace wafertlm::partition {
namespace {

constexpr double kLargestPrice = 1000;  // of an edge: METIS counts in whole numbers

/// All neurons of a chain, row after row, with an edge for each weight that costs more when it crosses.
struct Network {
  std::vector<std::size_t> first;  ///< vertex of each row; the last: how many there are
  std::vector<std::vector<std::pair<idx_t, double>>> edges;
  double dearest = 0;

  void add(std::size_t a, std::size_t b, double price) {
    edges[a].emplace_back(static_cast<idx_t>(b), price);
    edges[b].emplace_back(static_cast<idx_t>(a), price);
    dearest = std::max(dearest, price);
  }
};

Network network_of(const Chain& chain, const Prices& prices) {
  Network network{{0, chain.front().inputs}, {}, 0};
  for (const Layer& layer : chain) network.first.push_back(network.first.back() + layer.outputs);
  network.edges.resize(network.first.back());
  for (std::size_t k = 0; k < chain.size(); ++k)
    for (std::size_t i = 0; i < chain[k].outputs; ++i)
      for (std::size_t j = 0; j < chain[k].inputs; ++j) {
        const double weight = chain[k].weight(i, j);
        const double price = prices.of(weight, true) - prices.of(weight, false);
        if (price > 0) network.add(network.first[k] + j, network.first[k + 1] + i, price);
      }
  return network;
}

/// The part of every vertex.
std::vector<idx_t> parts_of(const Network& network, std::uint32_t workers) {
  const std::size_t rows = network.first.size() - 1;
  std::vector<idx_t> begins{0}, ends, prices, rows_of(network.edges.size() * rows, 0);
  for (const auto& edges : network.edges) {
    for (const auto& [to, price] : edges) {
      ends.push_back(to);
      prices.push_back(
          std::max<idx_t>(1, static_cast<idx_t>(std::lround(kLargestPrice * price / network.dearest))));
    }
    begins.push_back(static_cast<idx_t>(ends.size()));
  }
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = network.first[row]; i < network.first[row + 1]; ++i) rows_of[i * rows + row] = 1;
  idx_t vertices = static_cast<idx_t>(network.edges.size()), constraints = static_cast<idx_t>(rows),
        parts = static_cast<idx_t>(workers), cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  std::vector<idx_t> part(network.edges.size(), 0);
  if (METIS_PartGraphKway(&vertices, &constraints, begins.data(), ends.data(), rows_of.data(), nullptr,
                          prices.data(), &parts, nullptr, nullptr, options, &cut, part.data()) != METIS_OK)
    throw std::runtime_error("METIS has found no partition");
  return part;
}

/// Workers instead of parts: as many inputs as possible stay with their owners.
Owners workers_of_parts(const std::vector<idx_t>& part, const Owners& inputs, std::uint32_t workers) {
  std::vector<double> strangers(std::size_t{workers} * workers, static_cast<double>(inputs.size()));
  for (std::size_t j = 0; j < inputs.size(); ++j)
    --strangers[static_cast<std::size_t>(part[j]) * workers + inputs[j]];
  return least_cost_owners(strangers, workers);
}

}  // namespace

Partition graph_partitioning(const Chain& chain, std::uint32_t workers, const Prices& prices) {
  const Network network = network_of(chain, prices);
  if (workers == 1 || network.dearest == 0) return given_order(chain, workers);
  const std::vector<idx_t> part = parts_of(network, workers);
  Partition partition{in_blocks(chain.front().inputs, workers)};
  const Owners worker = workers_of_parts(part, partition.front(), workers);
  for (std::size_t row = 1; row + 1 < network.first.size(); ++row) {
    const std::size_t count = network.first[row + 1] - network.first[row];
    std::vector<double> moves(count * workers, 1);
    for (std::size_t i = 0; i < count; ++i)
      moves[i * workers + worker[static_cast<std::size_t>(part[network.first[row] + i])]] = 0;
    partition.push_back(least_cost_owners(moves, workers));
  }
  return partition;
}

}  // namespace wafertlm::partition
