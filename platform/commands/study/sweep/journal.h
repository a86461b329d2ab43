// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wafertlm {

/// One run of a cell by a worker.
struct Attempt {
  enum class State : std::uint8_t { running, done, failed, interrupted };
  std::string id, worker;
  State state = State::running;  ///< running: or the worker ended before the cell did
  double started_unix_s = 0, seconds = 0, processor_s = 0;
  std::uint64_t peak_memory_bytes = 0;
  int exit_code = 0;  ///< 128 + N: ended by signal N
  std::string error;
};

std::string name_of(Attempt::State state);
/// Now.
double unix_time();

/// A file to which one worker appends when a cell begins and ends. Together they say who ran what, when and
/// how often; results do not depend on them.
class Journal {
 public:
  explicit Journal(std::filesystem::path file);
  /// @return what end() takes.
  Attempt begin(const std::string& id);
  void end(const Attempt& attempt);

 private:
  void append(const nlohmann::json& line);
  std::filesystem::path file_;
  std::string worker_;
};

/// Of one journal, in order; lines that are cut short are left out.
std::vector<Attempt> read_journal(const std::filesystem::path& file);
/// Of all journals of a folder, by time.
std::vector<Attempt> read_journals(const std::filesystem::path& folder);

}  // namespace wafertlm
