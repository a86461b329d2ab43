// SPDX-License-Identifier: Apache-2.0
#include "platform/command/files.h"

#include <unistd.h>

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

void remove_files(const fs::path& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::error_code error;
    fs::remove(folder / name, error);
    if (error)
      throw std::invalid_argument((folder / name).string() + ": of an earlier run, and cannot be removed (" +
                                  error.message() + ")");
  }
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
