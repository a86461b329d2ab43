// SPDX-License-Identifier: Apache-2.0
#include "platform/run/tuned_choice.h"

#include <stdexcept>
#include <utility>

#include "platform/run/table_file.h"
#include "platform/spec/tuned.h"

namespace wafertlm {

TunedChoice::TunedChoice(std::string path) : path_(std::move(path)), table_(load_tuning_table(path_)) {}

const std::string& TunedChoice::algorithm(CollectiveType type, const Group& group,
                                          std::uint64_t bytes) const {
  try {
    return table_.look_up(type, group, bytes).algorithm;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(path_ + ": " + error.what());
  }
}

void TunedChoice::refuse_unused() const {
  throw std::invalid_argument("collectives.algorithm: " + path_ +
                              ": no collective takes its algorithm from this table; leave it out");
}

std::shared_ptr<const TunedChoice> tuned_choice(const config::CollectivesSpec& spec) {
  if (!config::names_tuning_table(spec.algorithm)) return nullptr;
  return std::make_shared<const TunedChoice>(spec.algorithm);
}

}  // namespace wafertlm
