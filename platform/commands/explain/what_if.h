// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/explain/settings.h"
#include "platform/commands/explain/trials.h"

namespace wafertlm {

/// One key with another value, simulated.
struct Change {
  Setting setting;
  std::string to;
  double factor = 0;  ///< of the value; 0: another word
  TrialResult result;
  std::string with = {};  ///< a setting that it needs: the peak of an NPU that computes faster; empty: none

  std::string text() const { return setting.key + "=" + to; }
  std::vector<std::string> settings() const {
    return with.empty() ? std::vector{text()} : std::vector{with, text()};
  }
  /// Picoseconds of the last iteration, against `base_ps`; negative: it takes longer. Of one that ran.
  std::int64_t saved_ps(TimePs base_ps) const {
    return static_cast<std::int64_t>(base_ps) - static_cast<std::int64_t>(*result.iteration_ps);
  }
};

/// A change that saves time, and what saves most on top of it.
struct Saving {
  Change change;
  /// Its result is with both. Not given: nothing was tried, or nothing saves more.
  std::optional<Change> then;
  bool was_pursued = false;  ///< a second change was looked for
};

/// A numeric key a tenth less and a tenth more; without a value where it cannot be scaled.
struct Sensitivity {
  Setting setting;
  std::optional<Change> less, more;

  /// The larger difference of the two to `base_ps`, without sign; 0: none, or neither ran.
  std::uint64_t effect_ps(TimePs base_ps) const;
};

/// What single changes of an experiment do to the time of its last iteration.
struct WhatIfs {
  TimePs base_ps = 0;
  std::vector<Saving> savings;               ///< largest first
  std::vector<Change> without;               ///< promising, and it saves nothing, or did not run
  std::vector<Sensitivity> sensitivities;    ///< largest first
  std::size_t simulated = 0, not_tried = 0;  ///< trials
};

/// Picoseconds of the critical path, by category.
using PathShares = std::map<std::string, TimePs>;

/// Tries all keys of a resolved experiment, the promising values first, and of these what most of the
/// critical path goes through. @param base_ps without a change
WhatIfs find_what_ifs(const config::Node& experiment, Trials& trials, TimePs base_ps,
                      const PathShares& shares);

nlohmann::ordered_json what_ifs_json(const WhatIfs& found);
nlohmann::ordered_json what_ifs_schema();
/// For the terminal. @param repeat what a setting is added to, to repeat a trial: "wafertlm run F"
std::string what_ifs_text(const WhatIfs& found, const std::string& repeat);

}  // namespace wafertlm
