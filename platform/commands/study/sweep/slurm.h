// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace wafertlm {

/// Slurm through its commands.
class Slurm {
 public:
  struct Job {
    std::string id;        ///< "12", of a task of an array "12_3" or "12_[4-9]"
    std::string array_id;  ///< "12"
    std::string state;     ///< "PENDING", "RUNNING" …
    std::string reason;    ///< why it is pending
  };
  /// This user's jobs of this name that have not ended. Bears a controller that does not answer for a minute.
  /// @throws std::runtime_error.
  std::vector<Job> jobs_named(const std::string& name);
  /// Whether somebody ended it; of a job that has ended long ago nothing is known.
  bool is_cancelled(const std::string& job) const;
  /// @param options of sbatch, for the shell. @return the job's id. @throws std::runtime_error with what
  /// sbatch says.
  std::string submit(const std::string& options) const;
  /// A task that was requeued waits two minutes unless told otherwise.
  void start_now(const std::string& job) const;

  /// "MaxArraySize" of its configuration; `otherwise` if it does not say.
  std::size_t setting(const std::string& name, std::size_t otherwise) const;
  /// CPUs of nodes that are up; 0: not known.
  std::size_t cpus() const;

 private:
  std::chrono::steady_clock::time_point answered_ = std::chrono::steady_clock::now();
};

}  // namespace wafertlm
