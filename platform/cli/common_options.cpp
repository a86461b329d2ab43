// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/common_options.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "platform/host/json_output.h"

namespace wafertlm {
namespace {

constexpr const char* kJson = "--json";

/// The command that the words name.
CLI::App& command_of(CLI::App& app, const std::vector<std::string>& words) {
  CLI::App* command = &app;
  for (const std::string& word : words) {
    if (word.empty() || word.front() == '-') continue;
    CLI::App* below = nullptr;
    for (CLI::App* each : command->get_subcommands([](const CLI::App*) { return true; }))
      if (each->get_name() == word) below = each;
    if (below == nullptr) break;
    command = below;
  }
  return *command;
}

/// "--json", "x.json" becomes "--json=x.json"; alone it is "--json=-".
void join_json(std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != kJson) continue;
    const bool has_file =
        i + 1 < words.size() && (words[i + 1] == "-" || boost::algorithm::ends_with(words[i + 1], ".json"));
    words[i] += "=" + (has_file ? words[i + 1] : "-");
    if (has_file) words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

/// "wafer.width=4".
bool is_setting(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals != std::string::npos && equals != 0 &&
         std::isalpha(static_cast<unsigned char>(word[0])) != 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '[' || c == ']';
         });
}

/// Settings that follow each other behind one --set get one each.
void split_settings(std::vector<std::string>& words) {
  for (std::size_t i = 2; i < words.size(); ++i)
    if (words[i - 2] == "--set" && is_setting(words[i]))
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(i), "--set");
}

/// Of a command with --json: where to; one that only prints it is given the plain flag.
void take_json(CLI::App& command, std::vector<std::string>& words, CommonOptions& options) {
  CLI::Option* const json = command.get_option_no_throw(kJson);
  if (json == nullptr) return;  // it will be refused
  join_json(words);
  const std::string start = std::string(kJson) + "=";
  for (std::string& word : words) {
    if (word.rfind(start, 0) != 0) continue;
    options.json = word.substr(start.size());
    if (options.json.empty())
      throw std::invalid_argument("--json: the value is empty; give one, or leave it out");
    if (!only_prints_json(*json)) continue;
    word = start + "-";
    options.json_in_place_of_text = options.json != "-";
  }
}

}  // namespace

void add_common_options(CLI::App& app) {
  app.add_flag("-q,--quiet",
               "Of all commands: print errors and warnings only, and the JSON that is asked for");
  app.add_flag("-v,--verbose",
               "Of all commands: say how far it is more often than once a minute where there is no terminal, "
               "and what it took");
  app.add_flag("--no-color",
               "Of all commands: no colours on a terminal; so does NO_COLOR in the environment");
  app.add_option("--input-limit",
                 "Of all commands: bytes that a file which is kept in memory may have: 64MiB [16 MiB]")
      ->type_name("SIZE");
}

CommonOptions take_common_options(CLI::App& app, std::vector<std::string>& words) {
  CommonOptions options;
  CLI::App& command = command_of(app, words);
  std::vector<std::string> rest;
  const auto take = [&](const std::string& word, const char* brief, const char* full, bool& value) {
    const bool is_it = word == brief || word == full;
    value |= is_it;
    return is_it;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") {
      rest.insert(rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (words[i] == "--input-limit" || words[i].rfind("--input-limit=", 0) == 0) {
      const bool is_next = words[i].back() != '=' && words[i].find('=') == std::string::npos;
      if (is_next && i + 1 == words.size()) throw std::invalid_argument("--input-limit needs a size: 64MiB");
      options.input_limit = is_next ? words[++i] : words[i].substr(words[i].find('=') + 1);
      continue;
    }
    if (!take(words[i], "-q", "--quiet", options.is_quiet) &&
        !take(words[i], "-v", "--verbose", options.is_verbose) &&
        !take(words[i], "--no-color", "--no-color", options.has_no_colour))
      rest.push_back(words[i]);
  }
  if (options.is_quiet && options.is_verbose)
    throw std::invalid_argument("-q says less and -v says more; give one of them");
  words = std::move(rest);
  split_settings(words);
  take_json(command, words, options);
  return options;
}

PrintedTo::PrintedTo(const std::string& file) {
  std::cout.flush();
  std::fflush(stdout);
  const int to = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (to < 0) throw std::invalid_argument(file + " cannot be written: " + std::strerror(errno));
  kept_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(to, STDOUT_FILENO);
  close(to);
}

PrintedTo::~PrintedTo() {
  std::cout.flush();
  std::fflush(stdout);
  dup2(kept_, STDOUT_FILENO);
  close(kept_);
}

}  // namespace wafertlm
