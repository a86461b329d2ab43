// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/pytorch/job_import.h"

namespace wafertlm::pytorch {

/// The process groups of a job, and its communications in Chakra's terms.
class JobGroups {
 public:
  using Members = std::map<std::string, std::vector<std::uint32_t>>;

  /// What the user says goes before what the traces say.
  explicit JobGroups(Members given) : given_(std::move(given)) {}

  /// What a rank's trace declares.
  void add(const Members& declared) {
    for (const auto& [name, ranks] : declared) declared_.emplace(name, ranks);
  }
  /// Fills in what ImportedJob and its ranks say of communication. @throws chakra::TraceError: members of a
  /// group are not known, or not in the job.
  void place(ImportedJob& job);

 private:
  using Key = std::pair<std::string, std::vector<std::uint32_t>>;  // name and members

  std::optional<std::vector<std::uint32_t>> members(const Communication& communication,
                                                    std::uint32_t world_size) const;
  void find_groups(ImportedJob& job);
  void place(ImportedRank& rank, const ImportedJob& job);
  static void even_out(ImportedJob& job);

  const Members given_;
  Members declared_;
  std::vector<std::vector<Key>> keys_;  // by rank's position, by communication
  std::map<Key, std::string> names_;
};

}  // namespace wafertlm::pytorch
