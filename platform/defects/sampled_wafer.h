// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "platform/defects/defect_model.h"
#include "tlm/kernel/splitmix64.h"

namespace wafertlm::wafer_yield {

/// Random numbers of a wafer, which do not depend on those of others: the n-th is a function of seed, wafer
/// and n.
class Draws {
 public:
  using result_type = std::uint64_t;
  Draws(std::uint64_t seed, std::uint64_t wafer)
      : state_(splitmix64::mixed(splitmix64::mixed(seed) + wafer)) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return splitmix64::mix(state_ += splitmix64::kStep); }
  double unit() { return splitmix64::unit((*this)()); }

 private:
  std::uint64_t state_;
};

/// Killer defects of one wafer.
struct SampledWafer {
  std::uint64_t defects = 0;
  std::vector<const Part*> dead;  ///< each once, in the order of the regions
};

/// Draws wafers: the density of each region, the number of its defects, and the part that each falls on.
class Sampler {
 public:
  explicit Sampler(const YieldSpec& spec);
  const std::vector<Region>& regions() const { return regions_; }
  /// Parts live as long as the sampler.
  SampledWafer wafer(std::uint64_t number) const;

 private:
  YieldSpec spec_;
  std::vector<Region> regions_;
  std::vector<std::vector<double>> sums_;  // of the expected defects of a region's parts so far
};

/// Cells without a working NPU and router.
std::vector<bool> dead_npus(const YieldSpec& spec, const SampledWafer& wafer);
/// Those, and the cells that a dead link begins at: what a regular grid has to do without.
std::vector<bool> dead_cells(const YieldSpec& spec, const SampledWafer& wafer);

/// "kind,part" and a line for each dead part: npu,3 router,7 link,5-6.
std::string defect_map(const SampledWafer& wafer);

}  // namespace wafertlm::wafer_yield
