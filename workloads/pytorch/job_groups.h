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
  void add(const std::string& file, const Members& declared);
  /// Fills in what ImportedJob and its ranks say of communication. @throws chakra::TraceError: members of a
  /// group are not known, are not in the job, or contradict its size, this rank or another definition.
  void place(ImportedJob& job);

 private:
  using Key = std::pair<std::string, std::vector<std::uint32_t>>;  // name and members

  std::optional<std::vector<std::uint32_t>> members(const Communication& communication,
                                                    std::uint32_t world_size) const;
  void require_no_contradiction(const ImportedRank& rank, const Communication& communication,
                                const std::optional<std::vector<std::uint32_t>>& members,
                                std::uint32_t world_size) const;
  void find_groups(ImportedJob& job);
  void place(ImportedRank& rank, const ImportedJob& job);
  static void place_parts(ImportedJob& job);

  const Members given_;
  Members declared_;
  std::map<std::string, std::string> contradicted_;  // by name: the files
  std::map<std::string, std::string> files_;
  std::vector<std::vector<Key>> keys_;  // by rank's position, by communication
  std::map<Key, std::string> names_;
};

}  // namespace wafertlm::pytorch
