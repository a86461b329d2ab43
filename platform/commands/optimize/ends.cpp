// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/optimize/ends.h"

#include <algorithm>

namespace wafertlm::optimize {

std::vector<Point> ends_of(const OptimizeSpec& spec, const CornerBound& fastest) {
  const Space space = spec.space();
  std::vector<Point> ends;
  if (space.budget) return ends;
  const auto add = [&](Point point) {
    for (std::size_t i = 0; i < point.size(); ++i) point[i] = space.axes[i].rounded(point[i]);
    if (std::find(ends.begin(), ends.end(), point) == ends.end()) ends.push_back(std::move(point));
  };
  Point least, greatest;
  for (const Axis& axis : space.axes) {
    least.push_back(axis.from);
    greatest.push_back(axis.to);
  }
  const bool knows_fastest = !fastest.point.empty();
  if (knows_fastest) add(fastest.point);
  if (spec.has_prices()) {
    Point cheapest = knows_fastest ? fastest.point : greatest;  // what costs nothing may as well be fast
    for (std::size_t i = 0; i < cheapest.size(); ++i)
      if (spec.variables[i].price > 0) cheapest[i] = least[i];
    add(std::move(cheapest));
  }
  add(std::move(least));
  add(std::move(greatest));
  return ends;
}

}  // namespace wafertlm::optimize
