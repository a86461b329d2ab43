// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/describe/node.h"
#include "platform/text/quantity.h"

namespace wafertlm {

/// A key of a resolved experiment whose value can be another one.
struct Setting {
  enum class Kind : std::uint8_t { integer, number, quantity, choice };

  std::string key;    ///< as `--set` takes it: "wafer.fabric.link_bandwidth", "workload.batch_per_npu"
  std::string value;  ///< as it is written
  Kind kind = Kind::choice;
  const config::Dimension* dimension = nullptr;  ///< of a quantity
  std::vector<std::string> choices = {};         ///< the other values, of a choice
  /// Of the machine and how it is used, as the rate at which the workload says that NPUs compute; else of the
  /// work: other work takes another time.
  bool of_platform = false;

  bool is_numeric() const { return kind != Kind::choice; }
  /// How the program simulates, not what: its seed, its watchdog.
  bool is_of_simulation() const;
};

bool is_compute_rate(const Setting& setting);

/// Every number, quantity with a unit and choice between words of the map of a resolved experiment, in its
/// order. Left out: what is said by a word in place of a number (auto), and lists of plain values.
std::vector<Setting> settings_of(const config::Node& experiment);

/// The value times `factor`, to the nearest that can be written; of a whole number at least one more or less.
/// @return nullopt: it is zero, or cannot be written.
std::optional<std::string> scaled(const Setting& setting, double factor);

/// By which to scale a numeric value so that it may save time: 2 of rates, 1/2 of times, both of others.
std::vector<double> promising_factors(const Setting& setting);

/// Whether the other values of a choice are other ways to build or to schedule: not how closely something is
/// modelled, nor which network is trained.
bool is_design_choice(const Setting& setting);

}  // namespace wafertlm
