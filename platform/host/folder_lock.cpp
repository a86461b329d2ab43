// SPDX-License-Identifier: Apache-2.0
#include "platform/host/folder_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace wafertlm {
namespace {

constexpr const char* kStart = "wafertlm: ";  // of the text of our locks
constexpr int kKind = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

std::string lock_text(int file) {
  std::array<char, 1024> text{};
  const ssize_t bytes = pread(file, text.data(), text.size(), 0);
  return std::string(text.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
}

/// Of two lines: who, and what was left. Both empty: the text is none of ours.
std::pair<std::string, std::string> lock_lines(int file) {
  const std::string text = lock_text(file);
  const std::size_t end = text.find('\n');
  if (text.rfind(kStart, 0) != 0 || end == std::string::npos) return {};
  const std::size_t start = std::strlen(kStart), next = text.find('\n', end + 1);
  return {text.substr(start, end - start),
          next == std::string::npos ? "" : text.substr(end + 1, next - end - 1)};
}

bool is_regular(int file) {
  struct stat opened {};
  return fstat(file, &opened) == 0 && S_ISREG(opened.st_mode);
}

/// Makes the file, with its text from the first moment on where the file system can, so that a command that
/// is killed leaves none that looks like a user's. -1: errno says why
int new_lock(const std::filesystem::path& path, const std::string& text) {
  const int file = open(path.parent_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (file >= 0) {
    const std::string name = fmt::format("/proc/self/fd/{}", file);
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && pwrite(file, text.data(), text.size(), 0) >= 0 &&
        linkat(AT_FDCWD, name.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return file;
    close(file);
  }
  return open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | kKind, 0666);
}

bool is_same_file(int file, const std::filesystem::path& path) {
  struct stat opened {
  }, named{};
  return fstat(file, &opened) == 0 && lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

FolderLock::FolderLock(std::filesystem::path file, const std::string& holder, const std::string& what)
    : path_(std::move(file)) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  who_ = fmt::format("{}, process {} on {}", holder, getpid(), host.data());
  std::replace(who_.begin(), who_.end(), '\n', ' ');
  while (true) {
    file_ = new_lock(path_, fmt::format("{}{}\n\n", kStart, who_));
    is_ours_ = file_ >= 0;
    if (!is_ours_ && errno == EEXIST) {
      file_ = open(path_.c_str(), O_RDWR | kKind);
      if (file_ < 0 && errno == ENOENT) continue;  // the one before has just removed it
    }
    if (file_ < 0)
      throw std::invalid_argument(
          fmt::format("{}: {} cannot be written ({})", what, path_.string(), std::strerror(errno)));
    if (!is_regular(file_) || !take()) {
      const std::string who = lock_lines(file_).first;
      close(file_);
      throw std::invalid_argument(
          fmt::format("{}: another command writes there ({}); wait for it, or choose another folder", what,
                      who.empty() ? path_.filename().string() : who));
    }
    if (is_same_file(file_, path_)) break;
    close(file_);
  }
  const auto [who, left] = lock_lines(file_);
  is_ours_ = is_ours_ || !who.empty();
  left_ = left;
  note(left);
}

/// A second time, because holder_of() of another process may have just looked.
bool FolderLock::take() {
  if (flock(file_, LOCK_EX | LOCK_NB) == 0) return true;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return flock(file_, LOCK_EX | LOCK_NB) == 0;
}

FolderLock::~FolderLock() {
  if (is_ours_ && !leaves_ && is_same_file(file_, path_)) unlink(path_.c_str());
  close(file_);
}

void FolderLock::note(const std::string& unfinished) const {
  if (!is_ours_) return;
  const std::string text = fmt::format("{}{}\n{}\n", kStart, who_, unfinished);
  if (pwrite(file_, text.data(), text.size(), 0) < 0 ||
      ftruncate(file_, static_cast<off_t>(text.size())) != 0) {
    // A lock without a name is a lock.
  }
}

std::string holder_of(const std::filesystem::path& lock) {
  const int file = open(lock.c_str(), O_RDONLY | kKind);
  if (file < 0) return "";
  const std::string who = lock_lines(file).first;
  const bool is_held = is_regular(file) && flock(file, LOCK_SH | LOCK_NB) != 0;
  close(file);
  return is_held ? who : "";
}

}  // namespace wafertlm
