// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <stdexcept>

#include "platform/commands/libra/cell_times.h"
#include "platform/commands/libra/inputs.h"
#include "platform/commands/libra/simulation.h"
#include "platform/host/files.h"
#include "workloads/astra_text/text_nodes.h"
#include "workloads/chakra/et_writer.h"

namespace wafertlm::libra {
namespace {

/// A ring of two is one link of all its bandwidth.
bool is_ring(const NetworkDimension& dimension) {
  return dimension.shape == Shape::ring && dimension.size > 2;
}

std::vector<std::uint32_t> sizes_of(const Network& network) {
  std::vector<std::uint32_t> sizes;
  for (const NetworkDimension& each : network.dimensions) sizes.push_back(each.size);
  return sizes;
}

bool takes_whole_dimensions(const Request& request) {
  for (const auto& groups : request.loads.front().communicator)
    for (std::size_t d = 0; d < groups.size(); ++d)
      if (groups[d] > 1 && static_cast<std::uint32_t>(groups[d]) != request.network.dimensions[d].size)
        return false;
  return true;
}

/// The lines of `workload`.
std::string write_traces(const Request& request, const std::filesystem::path& folder) {
  const Load& load = request.loads.front();
  const std::vector<std::uint32_t> sizes = sizes_of(request.network);
  const std::string head = "workload:\n  workload: \"" + load.name + "\"\n";
  if (takes_whole_dimensions(request)) {
    chakra::VectorSource source(load.name,
                                astra_text::no_overlap_nodes(load.workload, load.communicator, sizes));
    chakra::write_trace(source, (folder / "iteration.et").string());
    return head + fmt::format("  chakra: iteration.et\n  replicate: {}\n", request.network.npus());
  }
  const astra_text::PassGroups groups(load.communicator, sizes);
  nlohmann::ordered_json members;
  for (std::uint32_t rank = 0; rank < request.network.npus(); ++rank) {
    chakra::VectorSource source(load.name, astra_text::no_overlap_nodes(load.workload, groups, rank));
    chakra::write_trace(source, (folder / fmt::format("iteration.{}.et", rank)).string());
    for (std::size_t pass = 0; pass < astra_text::kPasses; ++pass)
      if (const std::string name = groups.name(pass, rank); !name.empty() && !members.contains(name))
        members[name] = groups.members(pass, rank);
  }
  write_file("--simulate", folder / "groups.json", members.dump() + "\n");
  return head + "  chakra: iteration\n  comm_groups: groups.json\n";
}

/// The keys that give the experiment these bandwidths.
std::vector<std::string> bandwidth_settings(const Network& network, const std::vector<double>& bandwidths) {
  std::vector<std::string> settings;
  for (std::size_t d = 0; d < bandwidths.size(); ++d)
    settings.push_back(fmt::format("wafer.fabric.dimensions[{}].bandwidth={} B/s", d,
                                   std::llround(bandwidths[d] * 1e9 * link_share(network.dimensions[d]))));
  return settings;
}

}  // namespace

Cell cell_of(const Request& request, const SimulationOptions& options, const std::filesystem::path& folder,
             const std::vector<double>& bandwidths) {
  std::vector<std::string> overrides = bandwidth_settings(request.network, bandwidths);
  overrides.insert(overrides.end(), options.set.begin(), options.set.end());
  return {{}, std::filesystem::absolute(folder / "experiment.yaml").string(), {}, overrides};
}

void write_experiment(const Request& request, const Answer& answer, const SimulationOptions& options,
                      const std::filesystem::path& folder) {
  if (request.loads.size() != 1) throw std::invalid_argument("--simulate takes one workload");
  std::string dimensions, algorithms;
  for (const NetworkDimension& each : request.network.dimensions) {
    const char* const topology = is_ring(each)                   ? "ring"
                                 : each.shape == Shape::switched ? "switch"
                                                                 : "fully_connected";
    dimensions += fmt::format("        - {{topology: {}, size: {}, bandwidth: 1 GB/s, latency: {}}}\n",
                              topology, each.size, options.latency);
    algorithms +=
        fmt::format("{}{}", algorithms.empty() ? "" : ", ", is_ring(each) ? "bidirectional_ring" : "auto");
  }
  const std::string text = fmt::format(
      "# LIBRA's network and workload; `wafertlm libra --simulate` sets the bandwidths.\n"
      "experiment: \"{0} on LIBRA's network\"\nplatform:\n  platform: \"{1} NPUs in {2} dimensions\"\n"
      "  wafer:\n    fabric:\n      kind: dimensional\n      transport: messages\n      dimensions:\n{3}"
      "  collectives:\n    algorithm: dimensional\n    chunks: {4}\n    dimensions: {{all_reduce: [{5}], "
      "all_gather: [{5}], reduce_scatter: [{5}]}}\n{6}",
      request.loads.front().name, request.network.npus(), request.network.dimensions.size(), dimensions,
      options.chunks, algorithms, write_traces(request, folder));
  write_file("--simulate", folder / "experiment.yaml", text);
  model_gap::require_sound(cell_of(request, options, folder, answer.best.bandwidths));
}

}  // namespace wafertlm::libra
