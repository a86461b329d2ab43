// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wafertlm::config {
struct FileKind;
}

namespace wafertlm::goodput {

/// Parts of a kind; of the three ways to say how often they fail one is given.
struct PartSpec {
  std::string part;
  std::uint64_t count = 1;
  double fit = 0;              ///< failures of one in 1e9 hours
  double mtbf_hours = 0;       ///< of one
  std::uint64_t failures = 0;  ///< of all, seen in `observed_days`
};

/// Failures that repeating the step mends.
struct RetrySpec {
  double transient = 0;  ///< part of all failures
  std::uint64_t time_ps = 0;
};

/// The dead part's data-parallel group is left out until it is repaired.
struct ShrinkSpec {
  std::uint32_t groups = 2;
  std::uint64_t reconfigure_ps = 0;  ///< to leave a group out, and to take it in
  double repair_hours = 0;
};

/// A part that waits takes the dead one's place.
struct SpareSpec {
  std::uint32_t count = 1;
  std::uint64_t swap_ps = 0;  ///< in place of `replace`
  double repair_hours = 0;    ///< until the dead one is a spare
};

/// A file with the top-level key `goodput`: a long run, its parts and what follows a failure. Times in ps.
struct LongRun {
  std::string name;
  double run_days = 1;
  std::vector<PartSpec> parts;
  double observed_days = 0;
  std::uint64_t checkpoint_bytes = 0, checkpoint_bandwidth = 0;
  std::uint64_t checkpoint_ps = 0;  ///< in place of these; 0: not given
  std::uint64_t detect_ps = 0, replace_ps = 0;
  std::uint64_t reload_ps = 0;    ///< 0: as long as writing the checkpoint
  std::uint64_t interval_ps = 0;  ///< 0: Daly's
  std::optional<RetrySpec> retry;
  std::optional<ShrinkSpec> shrink;
  std::optional<SpareSpec> spares;
  std::uint32_t seeds = 100;
  std::uint64_t seed = 1;

  /// Failures of all parts of the kind in a second.
  double rate(const PartSpec& part) const;
  double mtbf_s() const;        ///< of the job: 1 / sum of rates
  double checkpoint_s() const;  ///< delta
  double reload_s() const;
  double restart_s() const;  ///< detect, replace, reload
  double run_s() const;
};

/// @throws config::ConfigError.
LongRun load_long_run(const std::string& path, const std::vector<std::string>& overrides = {});
/// The row of such files.
config::FileKind goodput_file_kind();

}  // namespace wafertlm::goodput
