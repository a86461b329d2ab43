// SPDX-License-Identifier: Apache-2.0
#include "platform/command/files.h"

#include <fmt/core.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace wafertlm {

namespace fs = std::filesystem;

void require_writable_file(const std::string& option, const fs::path& file) {
  if (!std::ofstream(file, std::ios::app))
    throw std::invalid_argument(option + " " + file.string() + ": the file cannot be written");
}

void require_writable_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder))
    throw std::invalid_argument("--out " + folder.string() + ": not a folder, and none can be made there" +
                                (error ? " (" + error.message() + ")" : ""));
  if (access(folder.c_str(), W_OK) != 0)
    throw std::invalid_argument("--out " + folder.string() + ": the folder cannot be written to");
}

PendingFile::PendingFile(const std::string& option, fs::path path) : path_(std::move(path)) {
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  if (fs::is_directory(path_) || !path_.has_filename() || access(folder.c_str(), W_OK) != 0)
    throw std::invalid_argument(
        fmt::format("{} {}: the file cannot be written ({})", option, path_.string(),
                    fs::is_directory(path_) ? "it is a folder" : std::strerror(errno)));
  const bool is_plain = !fs::exists(path_) || fs::is_regular_file(path_);
  incomplete_ =
      is_plain ? folder / (path_.stem().string() + ".incomplete" + path_.extension().string()) : path_;
  if (!path_.has_parent_path()) incomplete_ = incomplete_.filename();
}

void PendingFile::put_in_place() const {
  if (incomplete_ == path_) return;
  std::error_code error;
  fs::rename(incomplete_, path_, error);
  if (error)
    throw std::runtime_error("cannot write " + path() + " (" + error.message() + "); it is " + incomplete());
}

void write_files(const fs::path& folder, const std::vector<std::pair<std::string, std::string>>& files) {
  const auto temporary = [&](const std::string& name) { return folder / ("." + name + ".part"); };
  const auto give_up = [&](const std::string& name, const std::string& why) {
    std::error_code ignored;
    for (const auto& each : files) fs::remove(temporary(each.first), ignored);
    throw std::runtime_error("cannot write " + (folder / name).string() + why);
  };
  for (const auto& [name, text] : files) {
    std::ofstream file(temporary(name), std::ios::binary);
    file << text;
    file.close();
    if (!file) give_up(name, "; is the disk full?");
  }
  for (const auto& [name, text] : files) {
    std::error_code error;
    fs::rename(temporary(name), folder / name, error);
    if (error) give_up(name, " (" + error.message() + ")");
  }
}

}  // namespace wafertlm
