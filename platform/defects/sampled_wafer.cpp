// SPDX-License-Identifier: Apache-2.0
#include "platform/defects/sampled_wafer.h"

#include <fmt/core.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace wafertlm::wafer_yield {

Sampler::Sampler(const YieldSpec& spec) : spec_(spec), regions_(regions_of(spec)) {
  for (const Region& region : regions_) {
    std::vector<double>& sums = sums_.emplace_back();
    double sum = 0;
    for (const Part& part : region.parts) sums.push_back(sum += part.defects);
  }
}

SampledWafer Sampler::wafer(std::uint64_t number) const {
  Draws draws(spec_.seed, number);
  SampledWafer drawn;
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    double expected = region.defects;
    if (spec_.law == Law::negative_binomial)
      expected *= std::gamma_distribution<>(spec_.alpha, 1 / spec_.alpha)(draws);
    if (expected <= 0) continue;
    // Where each of a Poisson number of defects falls splits it into Poisson numbers of the parts.
    const std::uint64_t defects = std::poisson_distribution<std::uint64_t>(expected)(draws);
    const std::size_t begin = drawn.dead.size();
    for (std::uint64_t each = 0; each < defects; ++each) {
      const auto hit = std::upper_bound(sums_[i].begin(), sums_[i].end() - 1, draws.unit() * sums_[i].back());
      drawn.dead.push_back(&region.parts[static_cast<std::size_t>(hit - sums_[i].begin())]);
    }
    drawn.defects += defects;
    const auto first = drawn.dead.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, drawn.dead.end());
    drawn.dead.erase(std::unique(first, drawn.dead.end()), drawn.dead.end());
  }
  return drawn;
}

std::vector<bool> dead_npus(const YieldSpec& spec, const SampledWafer& wafer) {
  std::vector<bool> dead(spec.cells());
  for (const Part* const part : wafer.dead)
    if (part->kind != PartKind::link) dead[part->cell] = true;
  return dead;
}

std::vector<bool> dead_cells(const YieldSpec& spec, const SampledWafer& wafer) {
  std::vector<bool> dead(spec.cells());
  for (const Part* const part : wafer.dead) dead[part->cell] = true;
  return dead;
}

std::string defect_map(const SampledWafer& wafer) {
  std::vector<const Part*> parts = wafer.dead;
  std::sort(parts.begin(), parts.end(), [](const Part* a, const Part* b) {
    return std::tie(a->kind, a->cell, a->end) < std::tie(b->kind, b->cell, b->end);
  });
  std::string text = "kind,part\n";
  for (const Part* const part : parts)
    text += part->kind == PartKind::link ? fmt::format("link,{}-{}\n", part->cell, part->end)
                                         : fmt::format("{},{}\n", to_string(part->kind), part->cell);
  return text;
}

}  // namespace wafertlm::wafer_yield
