// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <unordered_set>

namespace wafertlm {

/// The files of a study's cells, DIR/cells. Whoever runs a cell writes them, on whatever machine; a result
/// appears whole, and of one id always with the same bytes, so that a cell may run twice.
class CellFiles {
 public:
  explicit CellFiles(std::filesystem::path study_folder);

  const std::filesystem::path& folder() const { return folder_; }
  /// Plans, journals, what Slurm and MPI print.
  std::filesystem::path sweep() const { return folder_ / "sweep"; }
  std::filesystem::path result(const std::string& id) const { return folder_ / (id + ".json"); }
  /// The report of its run, if the study asks for reports.
  std::filesystem::path report(const std::string& id) const { return folder_ / (id + ".html"); }
  /// Why it failed for good; counts only without a result.
  std::filesystem::path failure(const std::string& id) const { return folder_ / (id + ".failed.json"); }
  /// What a cell wrote that failed for good.
  std::filesystem::path output(const std::string& id) const { return folder_ / id; }
  /// Where this process lets the cell write.
  std::filesystem::path attempt(const std::string& id) const;

  struct Ended {
    std::unordered_set<std::string> done, failed;  ///< by id
    bool has(const std::string& id) const { return done.count(id) + failed.count(id) > 0; }
  };
  Ended ended() const;
  bool has_ended(const std::string& id) const;

  /// Writes a file under another name and renames it. @throws std::runtime_error.
  void put(const std::filesystem::path& file, const std::string& text) const;
  /// Before cells run: makes the folder, with a mark that it is ours. @param fresh removes what earlier
  /// studies wrote there. @throws std::invalid_argument: a folder of that name is there, and is the user's.
  void take(bool fresh) const;
  /// Removes what processes left that were killed. Only when no other works here.
  void remove_leftovers() const;

 private:
  std::filesystem::path folder_;
};

/// Of a file; empty if there is none.
std::string text_of(const std::filesystem::path& file);

/// "host-1234": this process.
std::string worker_name();

}  // namespace wafertlm
