// SPDX-License-Identifier: Apache-2.0
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "platform/commands/optimize/search.h"

namespace wafertlm::optimize {
namespace {

using Function = std::function<double(const std::vector<double>&)>;

/// Of something cheap.
std::vector<double> least_by_sbplx(const Function& function, std::vector<double> x, double step,
                                   double widest, int evaluations) {
  const auto size = static_cast<unsigned>(x.size());
  std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> optimizer(nlopt_create(NLOPT_LN_SBPLX, size),
                                                              nlopt_destroy);
  std::vector<double> low, high, steps(x.size(), step);
  for (const double each : x) {
    low.push_back(each - widest);
    high.push_back(each + widest);
  }
  nlopt_set_lower_bounds(optimizer.get(), low.data());
  nlopt_set_upper_bounds(optimizer.get(), high.data());
  nlopt_set_initial_step(optimizer.get(), steps.data());
  nlopt_set_min_objective(
      optimizer.get(),
      [](unsigned count, const double* at, double*, void* data) {
        return (*static_cast<const Function*>(data))({at, at + count});
      },
      const_cast<Function*>(&function));
  nlopt_set_xtol_rel(optimizer.get(), 1e-7);
  nlopt_set_maxeval(optimizer.get(), evaluations);
  double value = 0;
  nlopt_optimize(optimizer.get(), x.data(), &value);
  return x;
}

/// Corrections: ln of what each axis is divided by, then the constant in parts of the least value seen.
Point divided(const Point& point, const std::vector<double>& corrections) {
  Point at = point;
  for (std::size_t d = 0; d < at.size(); ++d) at[d] /= std::exp(corrections[d]);
  return at;
}

}  // namespace

Point best_by_corrected_model(const Space& space, const std::function<double(const Point&)>& model,
                              const std::vector<SearchResult::Look>& looks, const Point& start) {
  constexpr double kTrust = 1e-7;  // in the model as it is, where looks leave a correction open
  const std::size_t count = start.size();
  double least = looks.front().value;
  for (const SearchResult::Look& look : looks) least = std::min(least, look.value);
  const auto corrected = [&](const Point& point, const std::vector<double>& corrections) {
    return model(divided(point, corrections)) + corrections[count] * least;
  };
  const Function misfit = [&](const std::vector<double>& corrections) {
    double sum = 0;
    for (const double each : corrections) sum += kTrust * each * each;
    for (const SearchResult::Look& look : looks) {
      const double off = corrected(look.point, corrections) / look.value - 1,
                   weight = std::pow(least / look.value, 4);  // what is near the best counts
      sum += weight * off * off;
    }
    return sum;
  };
  const std::vector<double> corrections =
      least_by_sbplx(misfit, std::vector<double>(count + 1, 0), 0.1, 2, 3000);
  const auto point_of = [&](const std::vector<double>& logarithms) {
    Point point;
    double sum = 0;
    for (std::size_t d = 0; d < count; ++d) {
      point.push_back(std::exp(logarithms[d]));
      sum += point[d] * space.budget->coefficients[d];
    }
    for (double& each : point) each *= space.budget->limit / sum;
    return point;
  };
  std::vector<double> logarithms;
  for (const double each : start) logarithms.push_back(std::log(each));
  const Function value = [&](const std::vector<double>& at) { return corrected(point_of(at), corrections); };
  return point_of(least_by_sbplx(value, logarithms, 0.3, 5, 3000));
}

}  // namespace wafertlm::optimize
