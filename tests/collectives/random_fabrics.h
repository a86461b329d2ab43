// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/collectives/simulated.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::test {

using Random = std::mt19937_64;

/// One of a list.
template <typename List>
auto pick(Random& random, const List& list) {
  return list[random() % std::size(list)];
}

/// Of a platform's keys: "wafer.width=3".
using Overrides = std::vector<std::string>;

inline config::PlatformSpec some_mesh(Random& random, const Overrides& keys = {}) {
  Overrides all = keys;
  all.push_back(fmt::format("wafer.width={}", 2 + random() % 5));
  all.push_back(fmt::format("wafer.height={}", 1 + random() % 5));
  return platform(all);
}

inline config::PlatformSpec some_fred(Random& random, const Overrides& keys = {}) {
  static const std::string kVariants[] = {"a", "b", "c", "d"};
  return fred_platform(pick(random, kVariants), keys);
}

inline config::PlatformSpec some_dimensions(Random& random, const Overrides& keys = {}) {
  static const char* const kTopologies[] = {"ring", "switch", "fully_connected", "mesh"};
  const TempFolder folder;
  std::string dimensions;
  for (std::uint64_t d = 0, count = 1 + random() % 2; d < count; ++d)
    dimensions += fmt::format("{}{{topology: {}, size: {}, bandwidth: {} GB/s, latency: {} ns}}",
                              d == 0 ? "" : ", ", pick(random, kTopologies), 2 + random() % 5,
                              50 * (1 + random() % 4), 50 + random() % 500);
  return config::load_platform(folder.write("dimensions.yaml",
                                            "platform: dimensions\nwafer: {fabric: {kind: dimensional, "
                                            "packet_bytes: 4 KiB, dimensions: [" +
                                                dimensions + "]}}\n"),
                               keys);
}

/// A graph file as a platform.
inline config::PlatformSpec graph_platform(const std::string& text, unsigned credit_delay_ns,
                                           const Overrides& keys = {}) {
  const TempFolder folder;
  folder.write("graph.yaml", text);
  return config::load_platform(
      folder.write(
          "platform.yaml",
          fmt::format(
              "platform: graph\nwafer: {{fabric: {{kind: graph, file: graph.yaml, packet_bytes: 4 KiB, "
              "credit_delay: {} ns}}}}\n",
              credit_delay_ns)),
      keys);
}

/// NPUs on a random tree of switches.
inline config::PlatformSpec some_tree(Random& random, const Overrides& keys = {}) {
  const std::uint64_t npus = 3 + random() % 10, switches = 1 + random() % 4;
  std::string text = fmt::format("graph: tree\nnpus: {}\nswitches:\n", npus);
  for (std::uint64_t s = 0; s < switches; ++s) text += fmt::format("  - {{name: s{}, pipeline: 20 ns}}\n", s);
  text += "links:\n";
  const auto link = [&](const std::string& from, std::uint64_t to) {
    text += fmt::format("  - {{from: {}, to: s{}, bandwidth: {} GB/s, latency: {} ns}}\n", from, to,
                        50 * (1 + random() % 4), 50 + random() % 500);
  };
  for (std::uint64_t n = 0; n < npus; ++n) link(fmt::format("npu{}", n), random() % switches);
  for (std::uint64_t s = 1; s < switches; ++s) link(fmt::format("s{}", s), random() % s);
  return graph_platform(text, 50, keys);
}

/// NPUs in rows and columns with links of their own of random rates, as a graph.
inline config::PlatformSpec some_grid(Random& random, const Overrides& keys = {}) {
  const std::uint64_t width = 1 + random() % 4, height = 2 + random() % 3;
  std::string text = fmt::format("graph: grid\nnpus: {}\nlinks:\n", width * height);
  const auto link = [&](std::uint64_t from, std::uint64_t to) {
    text += fmt::format("  - {{from: npu{}, to: npu{}, bandwidth: {} GB/s, latency: {} ns}}\n", from, to,
                        50 * (1 + random() % 4), 50 + random() % 500);
  };
  for (std::uint64_t at = 0; at < width * height; ++at)  // rows first: X-Y routes
    if (at % width + 1 < width) link(at, at + 1);
  for (std::uint64_t at = 0; at + width < width * height; ++at) link(at, at + width);
  return graph_platform(text, 50, keys);
}

/// NPUs with links to each other and no switches. `most`: their rates, in 50 GB/s. Pairs without a link go up
/// and down a tree, so that no cycle of buffers fills up.
inline config::PlatformSpec some_npu_graph(Random& random, std::uint32_t npus, std::uint64_t most,
                                           const Overrides& keys = {}) {
  std::string text = fmt::format("graph: random\nnpus: {}\nlinks:\n", npus);
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    if (a == b || !pairs.insert(std::minmax(a, b)).second) return;
    text += fmt::format("  - {{from: npu{}, to: npu{}, bandwidth: {} GB/s, latency: {} ns}}\n", a, b,
                        50 * (1 + random() % most), 20 + random() % 50);
  };
  std::vector<std::uint32_t> parent(npus, 0);
  for (std::uint32_t npu = 1; npu < npus; ++npu)
    link(npu, parent[npu] = static_cast<std::uint32_t>(random() % npu));
  for (std::uint64_t more = random() % (2 * npus); more > 0; --more)
    link(static_cast<std::uint32_t>(random() % npus), static_cast<std::uint32_t>(random() % npus));
  std::string routes;
  const auto up = [&](std::uint32_t npu) {
    std::vector<std::uint32_t> way = {npu};
    while (way.back() != 0) way.push_back(parent[way.back()]);
    return way;
  };
  for (std::uint32_t a = 0; a < npus; ++a)
    for (std::uint32_t b = 0; b < npus; ++b) {
      if (a == b || pairs.count(std::minmax(a, b)) != 0) continue;
      std::vector<std::uint32_t> from = up(a), to = up(b);
      while (from.size() > 1 && to.size() > 1 && from[from.size() - 2] == to[to.size() - 2]) {
        from.pop_back();
        to.pop_back();
      }
      to.pop_back();
      from.insert(from.end(), to.rbegin(), to.rend());
      routes += fmt::format("  - [npu{}]\n", fmt::join(from, ", npu"));
    }
  if (!routes.empty()) text += "routes:\n" + routes;
  return graph_platform(text, 20, keys);
}

/// The same, of up to 16 NPUs.
inline config::PlatformSpec some_graph(Random& random, const Overrides& keys = {}) {
  const auto npus = static_cast<std::uint32_t>(3 + random() % 14);
  return some_npu_graph(random, npus, 1 + random() % 4, keys);
}

/// Two to four leaves and one or two spines of lossless switches, or one switch.
inline config::PlatformSpec some_ethernet(Random& random, const Overrides& keys = {}) {
  const std::uint64_t leaves = 1 + random() % 4, npus = 2 + random() % 4;
  const std::string shape =
      leaves == 1 ? fmt::format("topology: star, npus: {}", npus)
                  : fmt::format("topology: leaf_spine, leaves: {}, npus_per_switch: {}, spines: {}", leaves,
                                npus, 1 + random() % 2);
  const TempFolder folder;
  return config::load_platform(
      folder.write(
          "ethernet.yaml",
          fmt::format("platform: ethernet\nwafer: {{fabric: {{kind: ethernet, network: {{{}}}}}}}\n", shape)),
      keys);
}

using MakeFabric = config::PlatformSpec (*)(Random&, const Overrides&);

/// A collective of `least` to `most` bytes on all NPUs or some, its algorithm and chunks open.
inline CollectiveRequest random_request(Random& random, std::uint32_t npus, std::uint64_t most,
                                        std::uint64_t least = 1024) {
  static constexpr CollectiveType kTypes[] = {CollectiveType::all_reduce,     CollectiveType::all_gather,
                                              CollectiveType::reduce_scatter, CollectiveType::all_to_all,
                                              CollectiveType::broadcast,      CollectiveType::reduce,
                                              CollectiveType::gather,         CollectiveType::scatter};
  CollectiveRequest request;
  request.type = pick(random, kTypes);
  request.group = first_npus(npus);
  if (random() % 5 < 3) {
    std::shuffle(request.group.begin(), request.group.end(), random);
    request.group.resize(2 + random() % (npus - 1));
    if (random() % 4 != 0) std::sort(request.group.begin(), request.group.end());
  }
  const double octaves = std::log2(static_cast<double>(most) / static_cast<double>(least));
  request.bytes =
      static_cast<std::uint64_t>(static_cast<double>(least) *
                                 std::exp2(octaves * static_cast<double>(random() % 10'000) / 10'000)) /
      4 * 4;
  request.root = static_cast<std::uint32_t>(random() % request.group.size());
  request.chunks = 0;
  return request;
}

inline std::string describe(const config::PlatformSpec& spec, const CollectiveRequest& request) {
  std::string npus;
  for (const NpuId npu : request.group)
    npus += (npus.empty() ? "" : ",") + std::to_string(static_cast<std::uint32_t>(npu));
  return fmt::format("{}, {} of {} B, NPUs {} of {}", spec.name, to_string(request.type), request.bytes, npus,
                     spec.wafer.npu_count());
}

}  // namespace wafertlm::test
