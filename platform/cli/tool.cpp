// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/tool.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "platform/cli/cli_commands.h"
#include "platform/cli/common_options.h"
#include "platform/cli/help_format.h"
#include "platform/cli/outputs.h"
#include "platform/cli/version.h"
#include "platform/host/bad_input.h"
#include "platform/host/built_without.h"
#include "platform/host/files.h"
#include "platform/host/interrupt.h"
#include "platform/host/options.h"
#include "platform/host/out_of_memory.h"
#include "platform/host/verbosity.h"
#include "platform/text/quantity.h"
#include "platform/text/suggest.h"
#include "tlm/input/file.h"
#include "tlm/input/number.h"

namespace wafertlm {
namespace {

constexpr int kRunFailed = 1, kBadInput = 2;

/// Former names of commands, and what to write in their place.
constexpr std::pair<const char*, const char*> kMoved[] = {{"convert", "astra-sim --convert"},
                                                          {"fred", "model fred"},
                                                          {"memory", "model memory"},
                                                          {"memory-engine", "model memory-engine"}};

/// @throws std::invalid_argument: the command is called otherwise now.
void refuse_former_names(const std::vector<std::string>& words) {
  const auto named = std::find_if(words.begin(), words.end(),
                                  [](const std::string& word) { return word.rfind('-', 0) != 0; });
  for (const auto& [former, now] : kMoved)
    if (named != words.end() && *named == former)
      throw std::invalid_argument(fmt::format("`wafertlm {}` is `wafertlm {}` now", former, now));
}

/// @throws std::runtime_error: what was printed has not arrived.
void require_printed() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout)
    throw std::runtime_error(std::string("the output cannot be written: ") + std::strerror(errno));
}

/// A message may hold a word of the command line, which may be of any length.
constexpr std::size_t kMostOfMessage = 8000;

int report(const std::exception& error, int exit_code) {
  const std::string text = error.what();
  std::cerr << "wafertlm: " << text.substr(0, kMostOfMessage)
            << (text.size() > kMostOfMessage ? "…\n" : "\n");
  return exit_code;
}

/// What the parser makes of a command line, with the nearest command or option.
std::string described(const CLI::ParseError& error, const CLI::App& app,
                      const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string typed = "wafertlm";
  std::vector<std::string> names;
  for (std::size_t i = 0;; ++i) {
    names.clear();
    for (const CLI::App* each : command->get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(each->get_name());
    const std::string word = i < words.size() ? words[i] : "";
    const bool takes_more =
        !command->get_options([](const CLI::Option* each) { return each->get_positional(); }).empty();
    if (takes_more && std::find(names.begin(), names.end(), word) == names.end()) break;
    if (names.empty() || word.empty() || word.front() == '-') break;
    if (std::find(names.begin(), names.end(), word) == names.end())
      return "there is no command '" + typed + " " + word + "'" +
             config::suggestion(word, names, "there are");
    command = command->get_subcommand_ptr(word).get();
    typed += " " + word;
  }
  names.clear();
  for (const CLI::Option* option : command->get_options()) names.push_back(option->get_name());
  for (const std::string& rest : app.remaining(true))
    if (rest.rfind("--", 0) == 0) {
      const std::string name = rest.substr(0, rest.find('=')), now = renaming_of_option(typed, name);
      return "there is no option " + name + (now.empty() ? config::did_you_mean(name, names) : now) + " (`" +
             typed + " --help` lists them)";
    }
  return error.what();
}

/// Of --help and --version.
int help(const CLI::App& app, const CLI::ParseError& asked) {
  app.exit(asked);
  try {
    require_printed();
    return 0;
  } catch (const std::exception& error) {
    return report(error, kRunFailed);
  }
}

/// An option that was given an empty value is a mistake, for instance of a shell variable; so are the numbers
/// that CLI11 takes and nobody means: NaN, infinity, hexadecimal ones.
/// @throws std::invalid_argument that names the option.
void refuse_wrong_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const bool is_number = option->get_type_name().rfind("FLOAT", 0) == 0;
    for (const std::string& value : option->results()) {
      if (value.empty())
        throw std::invalid_argument(option->get_name() + ": the value is empty; give one, or leave it out");
      if (is_number && !finite_number(value))
        throw std::invalid_argument(
            fmt::format("{} {:.60}: expected a finite decimal number", option->get_name(), value));
    }
  }
  for (const CLI::App* below : command.get_subcommands()) refuse_wrong_values(*below);
}

/// What the command took, and the processes below it.
void say_what_it_took(const std::string& command, std::chrono::steady_clock::time_point start) {
  rusage own{}, below{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &below);
  const auto processor_s = [](const rusage& usage) {
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  fmt::print(stderr, "wafertlm {}: {:.2f} s, of processors {:.2f} s, {:.0f} MB at most\n", command,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
             processor_s(own) + processor_s(below),
             1e-3 * static_cast<double>(std::max(own.ru_maxrss, below.ru_maxrss)));
}

/// Runs a command with what all commands take. @return its exit code
int run_command(const std::string& name, const std::function<int()>& command, const CommonOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  if (options.has_no_colour) forbid_colour();
  int exit_code = 0;
  if (options.json_in_place_of_text) {
    PendingFile file("--json", options.json);
    {
      const PrintedTo to(file.incomplete());
      exit_code = command();
      require_printed();
    }
    if (exit_code == 0) file.put_in_place();
  } else {
    std::optional<PrintedTo> nowhere;
    if (options.is_quiet && options.json != "-") nowhere.emplace("/dev/null");
    exit_code = command();
    require_printed();
  }
  if (options.is_verbose) say_what_it_took(name, start);
  return exit_code;
}

}  // namespace

int run_commands(const std::vector<Command>& commands, int argc, char** argv) try {
  explain_out_of_memory();
  CLI::App app("WaferTLM: a SystemC/TLM-2.0 virtual platform of a wafer-scale training system", "wafertlm");
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormat>());
  app.set_version_flag("-V,--version", version_text, "Print the version, and what it was built with");
  add_common_options(app);
  app.footer(
      "Exit codes: 0 done, 1 the run failed, 2 bad input, 128 + N ended by signal N. `wafertlm COMMAND "
      "--help` shows examples.");
  std::map<std::string, std::function<int()>> runs;
  for (const std::vector<Command>* const rows : {&commands, &cli_commands()})
    for (const Command& command : *rows) {
      runs[command.name] = command.add(app);
      if (*command.group != '\0') app.get_subcommand(command.name)->group(command.group);
    }
  std::vector<std::string> words(argv + 1, argv + argc);
  try {
    refuse_former_names(words);
    const CommonOptions options = take_common_options(app, words);
    if (!options.input_limit.empty())  // in the environment, for processes of studies too
      ::setenv(kInputLimitVariable, std::to_string(config::parse_size(options.input_limit)).c_str(), 1);
    set_verbosity(options.is_quiet     ? Verbosity::quiet
                  : options.is_verbose ? Verbosity::verbose
                                       : Verbosity::normal);
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    refuse_wrong_values(app);
    require_outputs(*app.get_subcommands().front(), options.json_in_place_of_text ? options.json : "");
    const std::string name = app.get_subcommands().front()->get_name();
    return run_command(name, runs.at(name), options);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return help(app, error);
    return report(std::invalid_argument(described(error, app, words)), kBadInput);
  } catch (const Interrupted& error) {
    return report(error, 128 + error.signal());
  } catch (const BuiltWithout& error) {
    return report(error, BuiltWithout::kExitCode);
  } catch (const std::exception& error) {
    return report(error, is_bad_input(error) ? kBadInput : kRunFailed);
  }
} catch (const std::exception& error) {
  return report(error, kRunFailed);
}

}  // namespace wafertlm
