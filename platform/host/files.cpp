// SPDX-License-Identifier: Apache-2.0
#include "platform/host/files.h"

#include <fmt/core.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace wafertlm {

namespace fs = std::filesystem;

namespace {

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

bool is_plain(const fs::path& file) { return !fs::exists(file) || fs::is_regular_file(file); }

}  // namespace

void require_writable_file(const std::string& option, const fs::path& file) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(
        fmt::format("{} {}: the file cannot be written ({})", option, file.string(), why));
  };
  if (fs::is_directory(file) || !file.has_filename()) refuse("it is a folder");
  const fs::path place =
      fs::exists(file) ? file : folder_of(file) / ".";  // below a file there is no such place
  if (access(place.c_str(), W_OK) != 0) refuse(std::strerror(errno));
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

PendingFile::PendingFile(const std::string& option, fs::path path)
    : path_(std::move(path)), incomplete_(path_) {
  require_writable_file(option, path_);
  if (is_plain(path_))
    incomplete_.replace_filename(path_.stem().string() + ".incomplete" + path_.extension().string());
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

void write_file(const fs::path& file, const std::string& text) {
  if (is_plain(file)) return write_files(folder_of(file), {{file.filename().string(), text}});
  std::ofstream to(file, std::ios::binary);
  to << text;
  to.close();
  if (!to) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace wafertlm
