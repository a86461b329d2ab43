// SPDX-License-Identifier: Apache-2.0
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "platform/commands/optimize/search.h"

namespace wafertlm::optimize {
namespace {

/// The planes in units of `scale`; unknowns are ln of the shares, then the height above all planes.
struct Heights {
  const std::vector<Plane>& planes;
  std::size_t dimensions = 0;
  double scale = 1;

  static double top(unsigned size, const double* x, double* gradient, void*) {
    if (gradient) std::fill(gradient, gradient + size, 0);
    if (gradient) gradient[size - 1] = 1;
    return x[size - 1];
  }
  /// Each plane below the height, and the shares together at most 1.
  static void conditions(unsigned count, double* values, unsigned size, const double* x, double* gradient,
                         void* self) {
    const auto& heights = *static_cast<const Heights*>(self);
    if (gradient) std::fill(gradient, gradient + std::size_t{count} * size, 0);
    for (std::size_t i = 0; i < heights.planes.size(); ++i) {
      values[i] = heights.planes[i].constant / heights.scale - x[size - 1];
      for (std::size_t d = 0; d < heights.dimensions; ++d) {
        const double part = heights.planes[i].slopes[d] / heights.scale * std::exp(-x[d]);
        values[i] += part;
        if (gradient) gradient[i * size + d] = -part;
      }
      if (gradient) gradient[i * size + size - 1] = -1;
    }
    double& rest = values[count - 1] = -1;
    for (std::size_t d = 0; d < heights.dimensions; ++d) {
      rest += std::exp(x[d]);
      if (gradient) gradient[std::size_t{count - 1} * size + d] = std::exp(x[d]);
    }
  }
};

}  // namespace

double Plane::at(const std::vector<double>& shares) const {
  double height = constant;
  for (std::size_t d = 0; d < slopes.size(); ++d) height += slopes[d] / shares[d];
  return height;
}

std::vector<double> lowest_of(const std::vector<Plane>& planes, const std::vector<double>& start,
                              const std::vector<double>& low, const std::vector<double>& high) {
  Heights heights{planes, start.size(), 0};
  for (const Plane& plane : planes) heights.scale = std::max(heights.scale, plane.at(start));
  const auto size = static_cast<unsigned>(start.size() + 1), count = static_cast<unsigned>(planes.size() + 1);
  std::vector<double> x, least, most;
  for (std::size_t d = 0; d < start.size(); ++d) {
    least.push_back(std::log(low[d]));
    most.push_back(std::log(high[d]));
    x.push_back(std::clamp(std::log(start[d]), least[d], most[d]));
  }
  x.push_back(1);
  least.push_back(-10);
  most.push_back(10);
  std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> optimizer(nlopt_create(NLOPT_LD_SLSQP, size),
                                                              nlopt_destroy);
  nlopt_set_lower_bounds(optimizer.get(), least.data());
  nlopt_set_upper_bounds(optimizer.get(), most.data());
  nlopt_set_min_objective(optimizer.get(), &Heights::top, nullptr);
  const std::vector<double> tolerances(count, 1e-10);
  nlopt_add_inequality_mconstraint(optimizer.get(), count, &Heights::conditions, &heights, tolerances.data());
  nlopt_set_ftol_rel(optimizer.get(), 1e-10);
  nlopt_set_xtol_rel(optimizer.get(), 1e-9);
  nlopt_set_maxeval(optimizer.get(), 500);
  double height = 0;
  nlopt_optimize(optimizer.get(), x.data(), &height);
  std::vector<double> shares;
  double sum = 0;
  for (std::size_t d = 0; d < start.size(); ++d) {
    shares.push_back(std::exp(x[d]));
    sum += shares.back();
  }
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace wafertlm::optimize
