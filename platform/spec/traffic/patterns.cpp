// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/traffic/patterns.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "platform/text/config_error.h"
#include "platform/text/suggest.h"
#include "tlm/input/file.h"
#include "tlm/kernel/units.h"

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

constexpr const char* kPermutation = "permutation";
constexpr const char* kPairs = "pairs";

/// Reads lines `source destination` (node numbers; # starts a comment); sources that are not listed are
/// silent. Returns the destination by source.
/// @throws config::ConfigError with file and line: no file, not two numbers, a node that does not exist, a
/// source listed twice, of a permutation a destination, too; nothing at all.
std::vector<std::optional<NpuId>> read_pairs(const std::string& pattern, const std::string& path,
                                             std::uint32_t nodes) {
  if (path.empty())
    throw config::ConfigError({"--pattern " + pattern, 0, 0},
                              fmt::format("needs --{} FILE with lines 'source destination'", pattern));
  std::istringstream file;
  try {
    file.str(read_input(path));
  } catch (const std::invalid_argument& error) {
    throw config::ConfigError({error.what(), 0, 0}, "--" + pattern + " takes a text file");
  }
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
    if (taken[index_of(destination)] != 0 && pattern == kPermutation)
      throw config::ConfigError(
          place, fmt::format("node {} already receives in line {}; a permutation has each destination once "
                             "(--pattern pairs does not)",
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

const std::vector<std::string> kNames = {
    "uniform", "transpose", "neighbor",    "bit_complement",     "tornado",
    "hotspot", "incast",    "permutation", "random_permutation", "pairs",
};

/// Every node equally often, one of them more often.
class Hotspot final : public Pattern {
 public:
  static constexpr std::uint64_t kMillion = 1'000'000;

  Hotspot(std::uint64_t nodes, NpuId hot, std::uint64_t fraction_ppm)
      : nodes_(nodes), hot_(hot), fraction_ppm_(fraction_ppm) {}

  NpuId next(NpuId, std::mt19937_64& random) const override {
    if (fraction_ppm_ != 0 && uniform_below(random, kMillion) < fraction_ppm_) return hot_;
    return static_cast<NpuId>(uniform_below(random, nodes_));
  }
  std::vector<Choice> choices(NpuId) const override {
    std::vector<Choice> all;
    for (std::uint64_t n = 0; n < nodes_; ++n)
      all.push_back({static_cast<NpuId>(n), kMillion - fraction_ppm_});
    all[index_of(hot_)].weight += nodes_ * fraction_ppm_;
    return all;
  }
  std::uint64_t total() const override { return nodes_ * kMillion; }

 private:
  std::uint64_t nodes_;
  NpuId hot_;
  std::uint64_t fraction_ppm_;
};

class Neighbor final : public Pattern {
 public:
  explicit Neighbor(const MeshGeometry& geometry) : neighbors_(geometry.npus()) {
    for (std::uint32_t n = 0; n < geometry.npus(); ++n)
      for (const Direction side : geometry.ports(static_cast<NpuId>(n)))
        if (side != Direction::local) neighbors_[n].push_back(geometry.neighbor(static_cast<NpuId>(n), side));
  }
  NpuId next(NpuId source, std::mt19937_64& random) const override {
    const std::vector<NpuId>& all = neighbors_[index_of(source)];
    return all[uniform_below(random, all.size())];
  }
  std::vector<Choice> choices(NpuId source) const override {
    std::vector<Choice> all;
    for (const NpuId neighbor : neighbors_[index_of(source)])
      all.push_back({neighbor, total() / neighbors_[index_of(source)].size()});
    return all;
  }
  std::uint64_t total() const override { return 12; }  // one to four neighbours

 private:
  std::vector<std::vector<NpuId>> neighbors_;
};

/// Every source has at most one destination.
class Fixed final : public Pattern {
 public:
  explicit Fixed(std::vector<std::optional<NpuId>> destinations) : destinations_(std::move(destinations)) {}

  NpuId next(NpuId source, std::mt19937_64&) const override { return *destinations_[index_of(source)]; }
  std::vector<Choice> choices(NpuId source) const override {
    if (!sends(source)) return {};
    return {{*destinations_[index_of(source)], 1}};
  }
  std::uint64_t total() const override { return 1; }
  bool sends(NpuId source) const override { return destinations_[index_of(source)].has_value(); }

 private:
  std::vector<std::optional<NpuId>> destinations_;
};

using Map = std::function<NpuId(std::uint32_t column, std::uint32_t row)>;

std::unique_ptr<Pattern> fixed(const MeshGeometry& geometry, const Map& destination) {
  std::vector<std::optional<NpuId>> all;
  for (std::uint32_t row = 0; row < geometry.height(); ++row)
    for (std::uint32_t column = 0; column < geometry.width(); ++column)
      all.emplace_back(destination(column, row));
  return std::make_unique<Fixed>(std::move(all));
}

std::unique_ptr<Pattern> transpose(const MeshGeometry& geometry) {
  if (geometry.width() != geometry.height())
    throw std::invalid_argument(
        fmt::format("the transpose pattern needs as many columns as rows, and the mesh is {}x{}; "
                    "use a square mesh or --pattern bit_complement",
                    geometry.width(), geometry.height()));
  return fixed(geometry, [&](std::uint32_t column, std::uint32_t row) { return geometry.at(row, column); });
}

std::unique_ptr<Pattern> tornado(const MeshGeometry& geometry) {
  const auto turn = [](std::uint32_t place, std::uint32_t count) {
    return (place + (count + 1) / 2 - 1) % count;
  };
  return fixed(geometry, [&](std::uint32_t column, std::uint32_t row) {
    return geometry.at(turn(column, geometry.width()), turn(row, geometry.height()));
  });
}

std::uint32_t hotspot_node(const PatternOptions& options, const MeshGeometry& geometry) {
  const std::uint32_t node = options.hotspot_node.value_or(0);
  if (node >= geometry.npus())
    throw std::invalid_argument(fmt::format("--hotspot {}: there is no such node; the {}x{} mesh has 0 to {}",
                                            node, geometry.width(), geometry.height(), geometry.npus() - 1));
  return node;
}

std::unique_ptr<Pattern> hotspot(const PatternOptions& options, const MeshGeometry& geometry) {
  const double fraction = options.hotspot_fraction.value_or(kHotspotFraction);
  const std::uint32_t node = hotspot_node(options, geometry);
  if (!(fraction >= 0 && fraction <= 1))
    throw std::invalid_argument(fmt::format("--hotspot-fraction {} is not between 0 and 1", fraction));
  return std::make_unique<Hotspot>(geometry.npus(), static_cast<NpuId>(node),
                                   static_cast<std::uint64_t>(std::llround(fraction * Hotspot::kMillion)));
}

std::unique_ptr<Pattern> incast(const PatternOptions& options, const MeshGeometry& geometry) {
  const std::uint32_t node = hotspot_node(options, geometry);
  if (geometry.npus() == 1) throw std::invalid_argument("the incast pattern needs at least two nodes");
  std::vector<std::optional<NpuId>> all(geometry.npus(), NpuId{node});
  all[node].reset();
  return std::make_unique<Fixed>(std::move(all));
}

/// One cycle through all nodes, so that nobody sends to itself (Sattolo 1986).
std::unique_ptr<Pattern> random_permutation(const PatternOptions& options, const MeshGeometry& geometry) {
  if (geometry.npus() == 1)
    throw std::invalid_argument("the random_permutation pattern needs at least two nodes");
  std::vector<std::optional<NpuId>> all;
  for (std::uint32_t n = 0; n < geometry.npus(); ++n) all.emplace_back(NpuId{n});
  std::mt19937_64 random(options.seed);
  for (std::size_t n = all.size() - 1; n > 0; --n) std::swap(all[n], all[uniform_below(random, n)]);
  return std::make_unique<Fixed>(std::move(all));
}

}  // namespace

std::string pattern_names() { return fmt::format("{}", fmt::join(kNames, ", ")); }

std::unique_ptr<Pattern> make_pattern(const PatternOptions& options, const MeshGeometry& geometry) {
  if (options.name != "hotspot" && options.hotspot_fraction)
    throw std::invalid_argument("--hotspot-fraction is only used with --pattern hotspot");
  if (options.name != "hotspot" && options.name != "incast" && options.hotspot_node)
    throw std::invalid_argument("--hotspot is only used with --pattern hotspot and incast");
  for (const auto& [pattern, file] :
       {std::pair{kPermutation, &options.permutation_file}, std::pair{kPairs, &options.pairs_file}})
    if (options.name != pattern && !file->empty())
      throw std::invalid_argument(fmt::format("--{0} is only used with --pattern {0}", pattern));
  if (options.name == "uniform") return std::make_unique<Hotspot>(geometry.npus(), NpuId{0}, 0);
  if (options.name == "hotspot") return hotspot(options, geometry);
  if (options.name == "incast") return incast(options, geometry);
  if (options.name == "random_permutation") return random_permutation(options, geometry);
  if (options.name == "transpose") return transpose(geometry);
  if (options.name == "tornado") return tornado(geometry);
  if (options.name == "neighbor") {
    if (geometry.npus() == 1) throw std::invalid_argument("the neighbor pattern needs at least two nodes");
    return std::make_unique<Neighbor>(geometry);
  }
  if (options.name == "bit_complement")
    return fixed(geometry, [&](std::uint32_t column, std::uint32_t row) {
      return geometry.at(geometry.width() - 1 - column, geometry.height() - 1 - row);
    });
  if (options.name == kPermutation)
    return std::make_unique<Fixed>(read_pairs(options.name, options.permutation_file, geometry.npus()));
  if (options.name == kPairs)
    return std::make_unique<Fixed>(read_pairs(options.name, options.pairs_file, geometry.npus()));
  throw std::invalid_argument(fmt::format("there is no pattern '{}'{}", options.name,
                                          config::suggestion(options.name, kNames, "expected one of")));
}

}  // namespace wafertlm::traffic
