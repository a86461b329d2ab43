// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/sweep/cell_files.h"

#include <fmt/core.h>

#include <unistd.h>

#include <array>
#include <boost/algorithm/string/predicate.hpp>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "platform/host/files.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunning = ".running-";
constexpr std::size_t kIdDigits = 32;  // of job_of()

/// Whether it begins with a cell's id; nothing of a user's does.
bool is_of_cell(const std::string& name) {
  return name.find_first_not_of("0123456789abcdef.") >= kIdDigits && name.size() >= kIdDigits;
}

}  // namespace

std::string worker_name() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("{}-{}", host.data(), getpid());
}

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

CellFiles::CellFiles(fs::path study_folder) : folder_(std::move(study_folder) / "cells") {}

fs::path CellFiles::attempt(const std::string& id) const { return folder_ / (id + kRunning + worker_name()); }

CellFiles::Ended CellFiles::ended() const {
  static const std::string done = ".json", failed = ".failed.json";
  Ended ended;
  std::error_code error;
  for (fs::directory_iterator each(folder_, error), end; !error && each != end; each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (name.front() == '.') continue;
    if (boost::algorithm::ends_with(name, failed))
      ended.failed.insert(name.substr(0, name.size() - failed.size()));
    else if (boost::algorithm::ends_with(name, done))
      ended.done.insert(name.substr(0, name.size() - done.size()));
  }
  for (const std::string& id : ended.done) ended.failed.erase(id);
  return ended;
}

bool CellFiles::has_ended(const std::string& id) const {
  return fs::exists(result(id)) || fs::exists(failure(id));
}

void CellFiles::put(const fs::path& file, const std::string& text) const {
  const fs::path temporary = file.parent_path() / ("." + file.filename().string() + kRunning + worker_name());
  std::ofstream to(temporary, std::ios::binary);
  to << text;
  to.close();
  std::error_code error;
  if (to) fs::rename(temporary, file, error);
  if (!to || error) {
    fs::remove(temporary, error);
    throw std::runtime_error("cannot write " + file.string() + "; is the disk full?");
  }
}

void CellFiles::take(bool fresh) const {
  const fs::path mark = folder_ / (std::string(kHidden) + "cells");
  if (fs::exists(fs::symlink_status(folder_)) && !fs::is_regular_file(fs::symlink_status(mark)))
    throw std::invalid_argument(folder_.string() +
                                " is there, and is not what wafertlm made; choose another folder");
  if (fresh && fs::exists(folder_)) {
    fs::remove_all(sweep());
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
      if (is_of_cell(entry.path().filename().string())) fs::remove_all(entry.path());
  }
  fs::create_directories(folder_);
  if (!fs::exists(mark)) put(mark, "");
}

void CellFiles::remove_leftovers() const {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored))
    if (const std::string name = entry.path().filename().string();
        is_of_cell(name.substr(name[0] == '.' ? 1 : 0)) && name.find(kRunning) != std::string::npos)
      fs::remove_all(entry.path(), ignored);
}

}  // namespace wafertlm
