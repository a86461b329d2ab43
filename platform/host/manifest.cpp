// SPDX-License-Identifier: Apache-2.0
#include "platform/host/manifest.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "platform/host/digest.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

/// As nlohmann::json writes it. @throws nlohmann::json::exception, std::invalid_argument.
FileDigests digests_in(const nlohmann::json& list) {
  FileDigests digests = list.get<FileDigests>();
  for (const auto& [name, digest] : digests)
    if (name != fs::path(name).filename() || name == "." || name == "..") throw std::invalid_argument(name);
  return digests;
}

bool has(const FileDigests& files, const std::string& name, const std::string& digest) {
  const auto found = files.find(name);
  return found != files.end() && found->second == digest;
}

}  // namespace

Manifest::Manifest(fs::path file, std::string what) : path_(std::move(file)), what_(std::move(what)) {
  const fs::file_status status = fs::symlink_status(path_);
  if (!fs::exists(status)) return;
  try {
    if (!fs::is_regular_file(status)) throw std::invalid_argument("no file");
    std::ifstream text(path_, std::ios::binary);
    const auto json = nlohmann::json::parse(text);
    files_ = digests_in(json.at("wafertlm_files"));
    if (json.contains("earlier")) earlier_ = digests_in(json["earlier"]);
  } catch (const std::exception&) {
    throw std::invalid_argument(
        fmt::format("{}: {} is no list of what wafertlm wrote; move it away, or choose another folder", what_,
                    path_.filename().string()));
  }
}

std::vector<std::string> Manifest::names() const {
  std::set<std::string> names;
  for (const FileDigests* const each : {&files_, &earlier_})
    for (const auto& [name, digest] : *each) names.insert(name);
  return {names.begin(), names.end()};
}

void Manifest::look() {
  unchanged_.clear();
  for (const std::string& name : names()) {
    const fs::path file = path_.parent_path() / name;
    if (!fs::is_regular_file(fs::symlink_status(file))) continue;
    const std::string digest = sha256_of_file_now(file);
    if (has(files_, name, digest) || has(earlier_, name, digest)) unchanged_[name] = digest;
  }
}

void Manifest::require_ours(const std::vector<std::string>& wanted) const {
  const auto refuse = [&](const std::vector<std::string>& names, const char* why) {
    for (const std::string& name : names)
      if (unchanged_.count(name) == 0 && fs::exists(fs::symlink_status(path_.parent_path() / name)))
        throw std::invalid_argument(
            fmt::format("{}: {} {}; move it away, or choose another name", what_, name, why));
  };
  refuse(names(), "was changed since wafertlm wrote it");
  refuse(wanted, "is there, and is not what wafertlm wrote");
}

void Manifest::begin(const FileDigests& files, const fs::path& scratch) {
  earlier_ = unchanged_;
  files_ = files;
  write(scratch);
}

void Manifest::end(const fs::path& scratch) {
  earlier_.clear();
  write(scratch);
}

void Manifest::write(const fs::path& scratch) const {
  nlohmann::json json = {{"wafertlm_files", files_}};
  if (!earlier_.empty()) json["earlier"] = earlier_;
  std::ofstream file(scratch, std::ios::binary);
  file << json.dump(1) << '\n';
  file.close();
  if (!file) throw fs::filesystem_error("", std::make_error_code(std::errc::no_space_on_device));
  fs::rename(scratch, path_);
}

}  // namespace wafertlm
