// SPDX-License-Identifier: Apache-2.0
#include "platform/traffic/permutation_file.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "platform/config/config_error.h"

namespace wafertlm::traffic {
namespace {

NpuId parse_node(const std::string& word, std::uint32_t nodes, const config::SourceLocation& place) {
  if (word.empty() || word.size() > 9 || word.find_first_not_of("0123456789") != std::string::npos)
    throw config::ConfigError(
        place, fmt::format("expected 'source destination' as two node numbers, such as '0 5'; got {}",
                           config::quoted(word)));
  const unsigned long node = std::stoul(word);
  if (node >= nodes)
    throw config::ConfigError(
        place, fmt::format("there is no node {}; the mesh has nodes 0 to {}", node, nodes - 1));
  return static_cast<NpuId>(node);
}

}  // namespace

std::vector<std::optional<NpuId>> read_permutation(const std::string& path, std::uint32_t nodes) {
  if (path.empty())
    throw config::ConfigError({"--pattern permutation", 0, 0},
                              "needs --permutation FILE with lines 'source destination'");
  std::ifstream file(path);
  std::vector<std::optional<NpuId>> destinations(nodes);
  std::vector<int> taken(nodes, 0), listed(nodes, 0);  // lines
  std::string line;
  int number = 0;
  bool any = false;
  for (; std::getline(file, line);) {
    const config::SourceLocation place{path, ++number, 1};
    std::istringstream words(line.substr(0, line.find('#')));
    std::string from, to, more;
    if (!(words >> from)) continue;
    words >> to >> more;
    if (!more.empty())
      throw config::ConfigError(
          place, fmt::format("expected two node numbers; {} is one too many", config::quoted(more)));
    const std::size_t source = index_of(parse_node(from, nodes, place));
    const NpuId destination = parse_node(to, nodes, place);
    if (listed[source] != 0)
      throw config::ConfigError(place, fmt::format("node {} already sends in line {}; list each source once",
                                                   source, listed[source]));
    if (taken[index_of(destination)] != 0)
      throw config::ConfigError(
          place, fmt::format("node {} already receives in line {}; a permutation has each destination once",
                             index_of(destination), taken[index_of(destination)]));
    listed[source] = taken[index_of(destination)] = number;
    destinations[source] = destination;
    any = true;
  }
  if (!file.eof() || (!any && number == 0))
    throw config::ConfigError({path, 0, 0},
                              "cannot be read, or is empty; expected lines 'source destination'");
  if (!any) throw config::ConfigError({path, 0, 0}, "lists no pair; expected lines 'source destination'");
  return destinations;
}

}  // namespace wafertlm::traffic
