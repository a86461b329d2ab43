// SPDX-License-Identifier: Apache-2.0
#include "platform/config/descriptions.h"
#include "platform/config/platform_spec.h"
#include "platform/config/value_types.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<ByDimensionSpec>> by_dimension_type() {
  std::vector<std::pair<std::string, DimensionAlgorithm>> words;
  for (const DimensionAlgorithm algorithm : kDimensionAlgorithms)
    words.emplace_back(to_string(algorithm), algorithm);
  const auto algorithms = list_of(choice<DimensionAlgorithm>(words), 0, 32);
  using Order = HierarchyOptions::Order;
  using Within = HierarchyOptions::Within;
  auto type = std::make_shared<Struct<ByDimensionSpec>>("by_dimension");
  type->optional(
          "order", &ByDimensionSpec::order,
          one_of<Order>({"local_bandwidth_aware", "ascending", "per_dimension", "themis"}),
          "The dimensions that a chunk goes through: reduce-scatter up, all-reduce in the last, all-gather "
          "down; without that all-reduce; an all-reduce in each; or for each chunk those with the least load "
          "first")
      .optional("within", &ByDimensionSpec::within, one_of<Within>({"fifo", "smallest_first"}),
                "Whose message a port sends first: of the stage that came first, or of the one with the "
                "fewest bytes")
      .optional("active_chunks", &ByDimensionSpec::active_chunks, auto_or(integer<std::uint64_t>(1, 65'536)),
                "Chunks that are in a dimension at a time; auto: all")
      .optional("all_reduce", &ByDimensionSpec::all_reduce, algorithms,
                "By dimension; the last one holds for those behind it. auto: ring on rings and meshes, "
                "direct where "
                "fully connected, halving_doubling on switches of a power of two, else direct")
      .optional("all_gather", &ByDimensionSpec::all_gather, algorithms, "The same of all-gather")
      .optional("reduce_scatter", &ByDimensionSpec::reduce_scatter, algorithms, "The same of reduce-scatter")
      .optional("all_to_all", &ByDimensionSpec::all_to_all, algorithms, "The same of all-to-all")
      .optional("direct_window", &ByDimensionSpec::direct_window, integer<std::uint32_t>(0, 65'536),
                "Peers that direct exchanges with at a time; 0: all");
  return type;
}

}  // namespace wafertlm::config
