// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/units.h"

#include <utility>

#include "platform/commands/validate/row_text.h"

namespace wafertlm::validate::steps {

std::optional<Unit> unit_of(const std::string& text) {
  constexpr const char* kRank = "(?: ?/ ?| per )(?:GPU|device|chip|TPU|accelerator|NPU|rank|core)";
  const std::string rank = kRank;
  const std::pair<std::string, Unit> units[] = {
      {"^(?:s|sec|secs|seconds?)(?: ?/ ?(?:step|iteration|iter)| per (?:step|iteration))?$", Unit::seconds},
      {"^(?:ms|milliseconds?)(?: ?/ ?(?:step|iteration|iter)| per (?:step|iteration))?$", Unit::milliseconds},
      {"MFU", Unit::mfu},
      {"^T?FLOPS?(?: ?/ ?s)?\\b|^TFLOP/s", Unit::flops},
      {"^(?:tokens?|tok)(?: ?/ ?(?:s|sec|second)| per second)" + rank, Unit::rank_tokens},
      {"^(?:tokens?|tok)" + rank + "(?: ?/ ?(?:s|sec|second)| per second)", Unit::rank_tokens},
      {"^(?:tps|TGS)$", Unit::rank_tokens},
      {"^(?:tokens?|tok)(?: ?/ ?(?:s|sec|second)| per second)$", Unit::all_tokens},
      {"^(?:samples?|sequences?)(?: ?/ ?(?:s|sec|second)| per second)" + rank, Unit::rank_samples},
      {"^(?:samples?|sequences?)(?: ?/ ?(?:s|sec|second)| per second)$", Unit::samples},
      {"^(?:k|thousand).*hours?\\b.*(?:trillion|1e12|T) ?tok", Unit::kilohours_per_teratoken},
      {"hours?\\b.*(?:trillion|1e12|T) ?tok", Unit::hours_per_teratoken},
  };
  for (const auto& [expression, unit] : units)
    if (says(text, expression.c_str())) return unit;
  return std::nullopt;
}

double model_flops_per_token(const JobSetup& setup) {
  const ModelShape& model = setup.model;
  const auto layers = static_cast<double>(model.layers), sequence = static_cast<double>(setup.sequence);
  const double attention =
      6 * layers * sequence * static_cast<double>(model.query_width() + model.value_width());
  return 6 * model.active_parameters() + (setup.framework.counts_causal_half ? attention / 2 : attention);
}

double roofline(const JobSetup& setup, double sustained) {
  return model_flops_per_token(setup) * setup.tokens() / static_cast<double>(setup.ranks) /
         (sustained * setup.chip.peak(setup.precision));
}

double in_unit(Unit unit, const JobSetup& setup, double seconds) {
  const auto ranks = static_cast<double>(setup.ranks);
  const double tokens = setup.tokens() / seconds;
  const double flops = model_flops_per_token(setup) * tokens / ranks;
  switch (unit) {
    case Unit::seconds:
      return seconds;
    case Unit::milliseconds:
      return 1e3 * seconds;
    case Unit::flops:
      return flops / 1e12;
    case Unit::mfu:
      return 100 * flops / setup.chip.peak(setup.precision);
    case Unit::rank_tokens:
      return tokens / ranks;
    case Unit::all_tokens:
      return tokens;
    case Unit::samples:
      return setup.samples / seconds;
    case Unit::rank_samples:
      return setup.samples / seconds / ranks;
    case Unit::hours_per_teratoken:
      return 1e12 / tokens * ranks / 3600;
    case Unit::kilohours_per_teratoken:
      return 1e9 / tokens * ranks / 3600;
  }
  return 0;
}

}  // namespace wafertlm::validate::steps
