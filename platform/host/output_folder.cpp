// SPDX-License-Identifier: Apache-2.0
#include "platform/host/output_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "tlm/kernel/globs.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

fs::path beside(const fs::path& folder, const char* suffix) {
  return folder.parent_path() / (folder.filename().string() + suffix);
}

std::string text_in(int file) {
  std::array<char, 256> text{};
  const ssize_t bytes = pread(file, text.data(), text.size(), 0);
  return std::string(text.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
}

bool is_same_file(int file, const fs::path& path) {
  struct stat opened {
  }, named{};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

bool holds_current_folder(const fs::path& folder) {
  const fs::path from_there = fs::current_path().lexically_relative(folder);
  return !from_there.empty() && *from_there.begin() != "..";
}

bool is_mount_point(const fs::path& folder) {
  struct stat own {
  }, above{};
  return stat(folder.c_str(), &own) == 0 && stat(folder.parent_path().c_str(), &above) == 0 &&
         own.st_dev != above.st_dev;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  return names;
}

/// The uppermost folder of the path that is not there.
fs::path first_missing(fs::path folder) {
  fs::path missing;
  for (; !folder.empty() && !fs::exists(folder); folder = folder.parent_path()) missing = folder;
  return missing;
}

}  // namespace

FileLock::FileLock(fs::path path, const std::string& holder, const std::string& what)
    : path_(std::move(path)) {
  while (true) {
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0)
      throw std::invalid_argument(
          fmt::format("{}: {} cannot be written ({})", what, path_.string(), std::strerror(errno)));
    // A second time, because lock_holder() of another process may have just looked.
    if (flock(file_, LOCK_EX | LOCK_NB) != 0 &&
        (std::this_thread::sleep_for(std::chrono::milliseconds(20)), flock(file_, LOCK_EX | LOCK_NB)) != 0) {
      const std::string who = text_in(file_);
      close(file_);
      throw std::invalid_argument(
          fmt::format("{}: another command writes there ({}); wait for it, or choose another folder", what,
                      who.empty() ? "just begun" : who));
    }
    if (is_same_file(file_, path_)) break;
    close(file_);  // the one before has just removed it
  }
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string text = fmt::format("{}, process {} on {}", holder, getpid(), host.data());
  if (ftruncate(file_, 0) != 0 || pwrite(file_, text.data(), text.size(), 0) < 0) {
    // A lock without a name is a lock.
  }
}

FileLock::~FileLock() {
  unlink(path_.c_str());
  close(file_);
}

std::string lock_holder(const fs::path& folder) {
  const fs::path whole = fs::weakly_canonical(fs::absolute(folder));
  for (const fs::path& lock : {beside(whole, ".lock"), whole / ".lock"}) {
    const int file = open(lock.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    const bool is_held = flock(file, LOCK_SH | LOCK_NB) != 0;
    const std::string who = text_in(file);
    close(file);
    if (is_held) return who.empty() ? "a command that has just begun" : who;
  }
  return "";
}

OutputFolder::OutputFolder(const fs::path& folder, const std::string& holder) : given_(folder) {
  const std::string what = "--out " + folder.string();
  try {
    folder_ = fs::weakly_canonical(fs::absolute(folder));
    if (!folder_.has_filename()) folder_ = folder_.parent_path();
    const bool exists = fs::exists(folder_);
    if (exists && !fs::is_directory(folder_)) throw std::invalid_argument(what + ": not a folder");
    if (exists && access(folder_.c_str(), W_OK) != 0)
      throw std::invalid_argument(what + ": the folder cannot be written to");
    made_ = first_missing(folder_.parent_path());
    fs::create_directories(folder_.parent_path());
    beside_ = !exists || (access(folder_.parent_path().c_str(), W_OK) == 0 && !is_mount_point(folder_) &&
                          !holds_current_folder(folder_));
    lock_ = std::make_unique<FileLock>(beside_ ? beside(folder_, ".lock") : folder_ / ".lock", holder, what);
    working_ = beside_ ? beside(folder_, ".incomplete") : folder_ / "incomplete";
    if (given_.is_relative()) working_ = working_.lexically_proximate(fs::current_path());
    fs::remove_all(working_);
    fs::create_directories(working_);
  } catch (const fs::filesystem_error& error) {
    throw std::invalid_argument(
        fmt::format("{}: not a folder, and none can be made there ({})", what, error.code().message()));
  }
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (done_) return;
  if (!keeps_ || fs::is_empty(working_, ignored)) fs::remove_all(working_, ignored);
  lock_.reset();
  for (fs::path folder = folder_.parent_path(); !made_.empty() && folder != made_.parent_path();
       folder = folder.parent_path())
    fs::remove(folder, ignored);  // if it is empty
}

void OutputFolder::commit(const std::vector<std::string>& own) {
  try {
    const std::vector<std::string> names = names_in(working_);
    if (!beside_) {
      move_each(names, own);
    } else if (!fs::exists(folder_)) {
      fs::rename(working_, folder_);
    } else {
      link_what_stays(own);
      if (renameat2(AT_FDCWD, working_.c_str(), AT_FDCWD, folder_.c_str(), RENAME_EXCHANGE) != 0)
        move_each(names, own);  // a file system that cannot
    }
    done_ = true;
    fs::remove_all(working_);
  } catch (const fs::filesystem_error& error) {
    keep();
    throw std::runtime_error(fmt::format("the results cannot be put into {} ({}); they are in {}",
                                         given_.string(), error.code().message(), working_.string()));
  }
}

std::string OutputFolder::in_place(std::string text) const {
  const std::string from = working_.string(), to = given_.string();
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Hard links, so that nothing is ever gone.
void OutputFolder::link_what_stays(const std::vector<std::string>& own) const {
  for (const std::string& name : names_in(folder_))
    if (!matches_any(own, name) && !fs::exists(working_ / name))
      fs::copy(folder_ / name, working_ / name,
               fs::copy_options::create_hard_links | fs::copy_options::recursive |
                   fs::copy_options::copy_symlinks);
}

void OutputFolder::move_each(const std::vector<std::string>& names,
                             const std::vector<std::string>& own) const {
  for (const std::string& name : names_in(folder_))
    if (matches_any(own, name) && std::find(names.begin(), names.end(), name) == names.end())
      fs::remove(folder_ / name);
  for (const std::string& name : names) fs::rename(working_ / name, folder_ / name);
}

}  // namespace wafertlm
