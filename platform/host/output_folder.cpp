// SPDX-License-Identifier: Apache-2.0
#include "platform/host/output_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "platform/host/digest.h"
#include "platform/host/files.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIncomplete = "incomplete-";
constexpr const char* kManifest = "manifest.json";

std::string hidden_name(const std::string& set, const std::string& what) {
  return kHidden + (set.empty() ? "" : set + "-") + what;
}

/// The uppermost folder of the path that is not there.
fs::path first_missing(fs::path folder) {
  fs::path missing;
  for (; !folder.empty() && !fs::exists(folder); folder = folder.parent_path()) missing = folder;
  return missing;
}

/// While it lives signals that end a program wait.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_{};
};

/// @param replaces else a file that has appeared there in the meantime stays. @throws fs::filesystem_error
void give_name(const fs::path& from, const fs::path& to, bool replaces) {
  if (!replaces && renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
  if (!replaces && errno != EINVAL)  // EINVAL: a file system that cannot
    throw fs::filesystem_error("", std::error_code(errno, std::generic_category()));
  fs::rename(from, to);
}

}  // namespace

void require_output_folder(const std::string& what, const fs::path& folder) {
  const auto refuse = [&](const std::string& why) { throw std::invalid_argument(what + ": " + why); };
  fs::path bare = folder;
  if (!bare.has_filename() && bare.has_relative_path()) bare = bare.parent_path();  // "results/"
  std::error_code error;
  const fs::file_status status = fs::symlink_status(bare, error);
  if (fs::is_symlink(status)) refuse("it is a link; give the folder itself");
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) refuse("not a folder");
  if (fs::equivalent(bare, "/", error)) refuse("the root of all folders is no place for results");
  if (access(bare.c_str(), W_OK | X_OK) != 0) refuse("the folder cannot be written to");
}

std::string writer_of(const fs::path& folder) { return holder_of(folder / hidden_name("", "lock")); }

void require_whole_set(const fs::path& folder) {
  if (Manifest(folder / hidden_name("", kManifest), folder.string()).is_cut())
    throw std::invalid_argument(folder.string() +
                                ": a command was killed while it replaced earlier results; run it again");
}

std::vector<fs::path> written_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    const std::string name = each->path().filename().string();
    const std::size_t at = name.rfind(kManifest);
    if (name.rfind(kHidden, 0) != 0 || at == std::string::npos ||
        at + std::string(kManifest).size() != name.size())
      continue;
    for (const std::string& listed : Manifest(each->path(), folder.string()).names())
      files.push_back(folder / listed);
  }
  return files;
}

OutputFolder::OutputFolder(const fs::path& folder, const std::string& holder, const std::string& set)
    : given_(folder) {
  const std::string what = "--out " + folder.string();
  try {
    require_output_folder(what, folder);
    folder_ = fs::weakly_canonical(fs::absolute(folder));
    if (!folder_.has_filename()) folder_ = folder_.parent_path();
    made_ = first_missing(folder_);
    fs::create_directories(folder_);
    lock_ = std::make_unique<FolderLock>(folder_ / hidden_name(set, "lock"), holder, what);
    if (const std::string& left = lock_->left();
        left.rfind(hidden_name(set, kIncomplete), 0) == 0 && left.find('/') == std::string::npos)
      fs::remove_all(folder_ / left);
    lock_->note("");
    manifest_ = std::make_unique<Manifest>(folder_ / hidden_name(set, kManifest), what);
    manifest_->look();
    manifest_->require_ours({});
    const std::string name = hidden_name(set, kIncomplete) + random_word();
    lock_->note(name);
    working_ = folder_ / name;
    if (!fs::create_directory(working_)) throw std::invalid_argument(what + ": " + name + " is there");
    if (given_.is_relative()) working_ = working_.lexically_proximate(fs::current_path());
  } catch (const fs::filesystem_error& error) {
    lock_.reset();
    remove_empty_folders(folder_, made_);
    throw std::invalid_argument(
        fmt::format("{}: not a folder, and none can be made there ({})", what, error.code().message()));
  } catch (...) {
    lock_.reset();
    remove_empty_folders(folder_, made_);
    throw;
  }
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (done_) return;
  if (keeps_ && !fs::is_empty(working_, ignored)) {
    lock_->leave();
    return;
  }
  fs::remove_all(working_, ignored);
  lock_.reset();
  remove_empty_folders(folder_, made_);
}

void OutputFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream file(working_ / name, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + (given_ / name).string() + "; is the disk full?");
}

void OutputFolder::commit(const std::vector<std::string>& stay) {
  try {
    FileDigests written, kept;
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(working_)) {
      names.push_back(entry.path().filename().string());
      written[names.back()] = sha256_of_file_now(entry.path());
    }
    manifest_->look();
    manifest_->require_ours(names);
    for (const auto& [name, digest] : manifest_->unchanged())
      if (std::find(stay.begin(), stay.end(), name) != stay.end()) kept.emplace(name, digest);
    exchange(written, kept);
    done_ = true;
    fs::remove_all(working_);
    lock_.reset();
  } catch (const fs::filesystem_error& error) {
    keep();
    throw std::runtime_error(fmt::format("the results cannot be put into {} ({}); they are in {}",
                                         given_.string(), error.code().message(), working_.string()));
  }
}

void OutputFolder::exchange(const FileDigests& written, const FileDigests& kept) {
  const SignalsWait wait;
  const fs::path scratch = working_ / kManifest;
  const FileDigests& earlier = manifest_->unchanged();
  FileDigests all = written;
  all.insert(kept.begin(), kept.end());
  manifest_->begin(all, scratch);
  for (const auto& [name, digest] : written)
    give_name(working_ / name, folder_ / name, earlier.count(name) != 0);
  for (const auto& [name, digest] : earlier)
    if (all.count(name) == 0) fs::remove(folder_ / name);
  manifest_->end(scratch);
}

std::string OutputFolder::in_place(std::string text) const {
  const std::string from = working_.string(), to = given_.string();
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace wafertlm
