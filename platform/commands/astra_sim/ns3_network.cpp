// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/astra_sim/ns3_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "models/ethernet/ns3/ns3_files.h"
#include "platform/commands/astra_sim/input_keys.h"
#include "tlm/input/file.h"

namespace wafertlm::astra_sim {
namespace {

namespace fs = std::filesystem;
using config::ConfigError;
using config::Node;

std::string absolute_path(const fs::path& path) { return fs::absolute(path).lexically_normal().string(); }

/// `read` of a file. @throws ConfigError, also from what it throws with "file:line: " in front.
template <typename Read>
auto read_file(const std::string& path, Read&& read) {
  const std::string why = why_unreadable(path);
  if (!why.empty()) throw ConfigError({path, 0, 0}, why);
  std::istringstream file(read_input(path));
  try {
    return read(file, path);
  } catch (const std::invalid_argument& error) {
    std::string text = error.what();
    int line = 0;
    if (text.rfind(path + ":", 0) == 0) {
      text = text.substr(path.size() + 1);
      std::size_t used = 0;
      if (!text.empty() && text.front() >= '0' && text.front() <= '9') line = std::stoi(text, &used);
      text = text.substr(std::min(text.size(), text.find_first_not_of(": ", used)));
    }
    throw ConfigError({path, line, line == 0 ? 0 : 1}, text);
  }
}

/// Where a configuration's topology is.
std::string topology_path(const std::string& config, const ethernet::Ns3Config& of) {
  if (of.topology_file.empty())
    throw ConfigError({config, 0, 0}, "there is no TOPOLOGY_FILE; add a line 'TOPOLOGY_FILE FILE'");
  const fs::path written = of.topology_file, folder = fs::path(config).parent_path();
  for (const fs::path& path : {written, folder / written, folder / written.filename()})
    if (fs::is_regular_file(path)) return absolute_path(path);
  throw ConfigError(
      {config, static_cast<int>(of.topology_line), 1},
      fmt::format("TOPOLOGY_FILE: there is no {}, neither from the current folder nor from that "
                  "of this file, and no {} beside it",
                  of.topology_file, written.filename().string()));
}

/// Keys that would change results elsewhere and mean nothing here.
std::string without_effect(const std::vector<std::string>& ignored) {
  const std::vector<std::string> of_output = {
      "FLOW_FILE",           "TRACE_FILE",   "TRACE_OUTPUT_FILE", "FCT_OUTPUT_FILE", "PFC_OUTPUT_FILE",
      "SIMULATOR_STOP_TIME", "ENABLE_TRACE", "QLEN_MON_FILE",     "QLEN_MON_START",  "QLEN_MON_END"};
  std::string names;
  for (const std::string& key : ignored)
    if (std::find(of_output.begin(), of_output.end(), key) == of_output.end())
      names += (names.empty() ? "" : ", ") + key;
  return names;
}

}  // namespace

Ns3Network read_ns3_network(const std::string& config, const std::string& logical_topology) {
  const ethernet::Ns3Config of = read_file(
      config, [](std::istream& in, const std::string& path) { return ethernet::read_ns3_config(in, path); });
  const std::string topology = topology_path(config, of);
  const ethernet::Ns3Topology read = read_file(topology, [](std::istream& in, const std::string& path) {
    return ethernet::read_ns3_topology(in, path);
  });
  const std::uint32_t hosts = read.network.hosts();
  InputKeys logical(logical_topology, InputKeys::Form::json);
  const std::string key = "logical-dims";
  const auto sizes = logical.words(key);
  logical.require_all_known();
  logical.require_all({key});
  if (sizes->empty()) logical.fail(key, "needs the size of a dimension or more");
  Ns3Network network;
  network.npus = 1;
  network.dimensions.kind = Node::Kind::list;
  network.dimensions.place = network.npus_place = logical.place(key);
  for (std::size_t d = 0; d < sizes->size(); ++d) {
    const std::string& size = (*sizes)[d];
    if (size.empty() || size.size() > 5 || size.find_first_not_of("0123456789") != std::string::npos ||
        std::stoul(size) == 0)
      logical.fail(key, d, "must be a whole number from 1 on in quotes");
    network.npus = std::min<std::uint64_t>(network.npus * std::stoul(size), 1U << 20);
    network.dimensions.items.push_back(logical.at(key, d, std::to_string(std::stoul(size))));
  }
  if (network.npus != hosts)
    logical.fail(key, fmt::format("multiply to {}, but {} has {} hosts", network.npus, topology, hosts));
  network.fabric = Node::map(
      {{"kind", own("ethernet")},
       {"network",
        Node::map({{"topology", own("ns3")},
                   {"file", Node::string(topology, {config, static_cast<int>(of.topology_line), 1})},
                   {"dimensions", network.dimensions}})},
       {"ns3_config", Node::string(absolute_path(config), {"--network-configuration", 0, 0})}});
  network.fabric.place = {config, 0, 0};
  if (read.hosts_with_several_links != 0)
    network.warnings.push_back(fmt::format(
        "{}: {} of {} hosts have several links: each sends and receives through a switch of its own, which "
        "passes packets of others on",
        topology, read.hosts_with_several_links, hosts));
  if (const std::string names = without_effect(of.ignored); !names.empty())
    network.warnings.push_back(fmt::format("{}: without effect here: {}", config, names));
  return network;
}

}  // namespace wafertlm::astra_sim
