// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/outputs.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "platform/host/files.h"
#include "platform/host/output_folder.h"
#include "platform/host/output_option.h"
#include "tlm/input/file.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

using FileId = std::pair<dev_t, ino_t>;

/// Nothing of {0, 0} is there.
FileId id_of(const fs::path& file) {
  struct stat found {};
  return stat(file.c_str(), &found) == 0 ? FileId{found.st_dev, found.st_ino} : FileId{};
}

/// What a command line names, as a path may stand in it: all of it, and what is behind = or :.
std::vector<std::string> paths_in(const std::string& value) {
  std::vector<std::string> paths = {value};
  for (const char mark : {'=', ':'})
    if (const std::size_t at = value.find(mark); at != std::string::npos)
      paths.push_back(value.substr(at + 1));
  return paths;
}

/// The words of a text that may be paths: between white space, quotes and the signs of YAML and JSON, and the
/// rest of a line behind a key.
std::vector<std::string> words_of(const fs::path& file) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;  // a file that names others is small
  constexpr const char* kSigns = " \t\r\"'{}[],";
  std::vector<std::string> words;
  std::error_code error;
  const std::string end = file.extension().string();
  if (end != ".yaml" && end != ".yml" && end != ".json") return words;
  if (!why_unreadable(file.string()).empty() || fs::file_size(file, error) > kMostBytes) return words;
  auto text = open_input(file.string());
  for (std::string line; std::getline(text, line);) {
    if (const std::size_t at = line.find(": "); at != std::string::npos) words.push_back(line.substr(at + 2));
    for (std::size_t at = 0; (at = line.find_first_not_of(kSigns, at)) != std::string::npos;) {
      const std::size_t past = std::min(line.find_first_of(kSigns, at), line.size());
      words.push_back(line.substr(at, past - at));
      at = past;
    }
  }
  return words;
}

/// What a command is going to write or remove and that is there now, and who reads it.
class Outputs {
 public:
  void add(const std::string& option, OutputKind kind, const std::string& value) {
    if (kind == OutputKind::file) {
      if (value == "-") return;
      const PendingFile probe(option, value);
      return note(option, value);
    }
    const fs::path path(value), above = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const fs::path folder = kind == OutputKind::folder ? path : above;
    require_output_folder(option + " " + value, folder);
    for (const fs::path& file : written_files(folder))
      if (kind == OutputKind::folder || is_of_prefix(file, path)) note(option + " " + value, file);
  }
  bool empty() const { return files_.empty(); }

  /// Of a word of the command line, which may also name results.
  void require_not_read(const std::string& value) {
    const fs::path path(value);
    if (std::error_code error; fs::is_directory(path, error))
      for (const fs::path& file : written_files(path)) require_not_same(file, value);
    else
      require_files_not_read(path, value);
  }

 private:
  static bool is_of_prefix(const fs::path& file, const fs::path& prefix) {
    return !prefix.filename().empty() &&
           boost::algorithm::starts_with(file.filename().string(), prefix.filename().string() + ".");
  }
  /// PREFIX.<rank>.et: not another file that is called as a job is.
  static bool is_rank_of(const fs::path& file, const fs::path& prefix) {
    const std::size_t rank = prefix.filename().string().size() + 1;
    const std::string name = file.filename().string();
    return is_of_prefix(file, prefix) && rank < name.size() && name[rank] >= '0' && name[rank] <= '9';
  }
  void require_files_not_read(const fs::path& path, const std::string& value) {
    std::error_code error;
    if (fs::is_regular_file(path, error))
      require_file_not_read(path, value);
    else if (!fs::exists(path, error))
      require_prefix_not_read(path);
  }
  /// Traces, PREFIX.<rank>.et.
  void require_prefix_not_read(const fs::path& prefix) const {
    std::error_code error;
    fs::directory_iterator each(prefix.has_parent_path() ? prefix.parent_path() : fs::path("."), error);
    for (const fs::directory_iterator end; !error && each != end; each.increment(error))
      if (is_rank_of(each->path(), prefix)) require_not_same(each->path(), prefix.string());
  }
  void note(const std::string& option, const fs::path& file) {
    if (const FileId id = id_of(file); id != FileId{} && fs::is_regular_file(file))
      files_.emplace(id, std::pair(option, file));
  }
  void require_not_same(const fs::path& file, const std::string& input) const {
    const auto found = files_.find(id_of(file));
    if (found == files_.end()) return;
    throw std::invalid_argument(
        fmt::format("{}: {} would be overwritten, and the command reads it ({}); give another name",
                    found->second.first, found->second.second.string(), input));
  }
  void require_file_not_read(const fs::path& file, const std::string& input) {
    require_not_same(file, input);
    if (!seen_.insert(id_of(file)).second) return;
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    for (const std::string& word : words_of(file))
      for (const std::string& path : paths_in(word))
        require_files_not_read((folder / path).lexically_normal(), path);
  }

  std::map<FileId, std::pair<std::string, fs::path>> files_;
  std::set<FileId> seen_;
};

/// Of the command and those below it that were given.
std::vector<CLI::Option*> given_options(CLI::App& command) {
  std::vector<CLI::Option*> options;
  for (CLI::Option* const option : command.get_options())
    if (!option->empty()) options.push_back(option);
  for (CLI::App* const below : command.get_subcommands())
    for (CLI::Option* const option : given_options(*below)) options.push_back(option);
  return options;
}

}  // namespace

void require_outputs(CLI::App& command, const std::string& json) {
  const std::vector<CLI::Option*> options = given_options(command);
  Outputs outputs;
  if (!json.empty()) outputs.add("--json", OutputKind::file, json);
  for (CLI::Option* const option : options)
    if (const auto kind = output_kind(*option))
      for (const std::string& value : option->results()) outputs.add(option->get_name(), *kind, value);
  if (outputs.empty()) return;
  for (CLI::Option* const option : options)
    if (!output_kind(*option))
      for (const std::string& value : option->results())
        for (const std::string& path : paths_in(value)) outputs.require_not_read(path);
}

}  // namespace wafertlm
