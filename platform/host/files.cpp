// SPDX-License-Identifier: Apache-2.0
#include "platform/host/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>
#include <system_error>

namespace wafertlm {

namespace fs = std::filesystem;

namespace {

/// Why no file can be put there; empty: one can.
std::string hindrance(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file, error);
  switch (status.type()) {
    case fs::file_type::directory:
      return "it is a folder";
    case fs::file_type::symlink:
      return "it is a link; give the file itself";
    case fs::file_type::character:
      return access(file.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
    case fs::file_type::regular:
    case fs::file_type::not_found:
      break;
    default:
      return error ? error.message() : "it is no file";
  }
  if (!file.has_filename()) return "it is a folder";
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return access((folder / ".").c_str(), W_OK | X_OK) == 0 ? "" : std::strerror(errno);
}

}  // namespace

std::string random_word() {
  std::random_device random;
  return fmt::format("{:08x}{:04x}", random(), random() & 0xffffU);
}

void require_output_file(const std::string& what, const fs::path& file) {
  if (const std::string why = hindrance(file); !why.empty())
    throw std::invalid_argument(
        fmt::format("{} {}: the file cannot be written ({})", what, file.string(), why));
}

PendingFile::PendingFile(const std::string& option, fs::path path)
    : path_(std::move(path)), incomplete_(path_) {
  require_output_file(option, path_);
  if (fs::is_character_file(path_)) return;
  incomplete_.replace_filename(fmt::format("{}{}-{}", kHidden, random_word(), path_.filename().string()));
  const int file = open(incomplete_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0)
    throw std::invalid_argument(
        fmt::format("{} {}: the file cannot be written ({})", option, path_.string(), std::strerror(errno)));
  struct stat before {};
  if (lstat(path_.c_str(), &before) == 0) fchmod(file, before.st_mode & 07777U);
  close(file);
}

PendingFile::~PendingFile() {
  if (incomplete_ != path_ && !keeps_) unlink(incomplete_.c_str());
}

void PendingFile::put_in_place() {
  if (incomplete_ == path_) return;
  std::error_code error;
  fs::rename(incomplete_, path_, error);
  if (error) {
    keep();
    throw std::runtime_error("cannot write " + path() + " (" + error.message() + "); it is " + incomplete());
  }
  incomplete_ = path_;
}

void write_file(const std::string& option, const fs::path& file, const std::string& text) {
  PendingFile pending(option, file);
  std::ofstream to(pending.incomplete(), std::ios::binary);
  to << text;
  to.close();
  if (!to) throw std::runtime_error("cannot write " + file.string() + "; is the disk full?");
  pending.put_in_place();
}

void remove_empty_folders(fs::path folder, const fs::path& top) {
  std::error_code ignored;
  for (; !top.empty() && folder != top.parent_path(); folder = folder.parent_path())
    fs::remove(folder, ignored);
}

}  // namespace wafertlm
