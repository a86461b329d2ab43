// SPDX-License-Identifier: Apache-2.0
#include "platform/host/options.h"
#include "platform/text/quantity.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace wafertlm {
namespace {

constexpr const char* kCompletes = "completes";

constexpr FormerOption kFormer[] = {{"wafertlm libra", "--time-limit", "--time-at-most"},
                                    {"wafertlm libra", "--trace", "--chakra"},
                                    {"wafertlm optimize", "--host-seconds", "--limit"},
                                    {"wafertlm rtl stress", "--seconds", "--limit"},
                                    {"wafertlm study", "--reports", "--report"},
                                    {"wafertlm trace edit", "--ranks", "--renumber"},
                                    {"wafertlm trace import", "--groups", "--comm-groups"},
                                    {"wafertlm trace import", "--limit", "--missing-at-most"},
                                    {"wafertlm trace import", "--report", "--timeline"}};

/// Asked for only when somebody completes: the description of a validator that is not active is not shown.
class Completes final : public CLI::Validator {
 public:
  explicit Completes(const WordList& words) {
    desc_function_ = [words] {
      std::string text;
      for (const std::string& word : words()) text += word + '\n';
      return text;
    };
    name_ = kCompletes;
    active_ = false;
  }
};

}  // namespace

const std::vector<OptionRow>& option_rows() {
  static const std::vector<OptionRow> rows = {
      {"-o,--out", "PATH", "Where to write"},
      {"--json", "FILE", "Write JSON into this file; -, or nothing: print it in place of the text"},
      {"--json-schema", "", "Print the JSON Schema of that"},
      {"--set", "KEY=VALUE", "Change a key of what is read"},
      {"--jobs", "N", "So many processes at the same time; as many as there are cores if not given"},
      {"--limit", "TIME", "Of the time that the command takes, 600s: nothing more is begun after it"},
      {"--time-limit", "TIME", "Of a run, processor time (by the clock ten times as much), 600s"},
      {"--seed", "UINT", "Of the random numbers"},
      {"--seeds", "INT", "So many seeds"},
      {"--force", "", "Do what is refused otherwise"},
      {"--fresh", "", "Run again what is done"},
      {"--report", "", "Write a page that shows the run, report.html beside its results"},
      {"--trace", "GLOB[@CLASS][:FROM-TO]", "Write a timeline for ui.perfetto.dev"},
      {"--type", "TYPE", "Which collective"},
      {"--size", "SIZE", "Bytes per rank (the full vector)"},
      {"--npus", "LIST", "The group, for instance 0-4,10; all if not given"},
      {"--algorithm", "NAME", "Which algorithm of collectives"},
      {"--class", "CLASS", "Traffic class"},
      {"--parallelism", "TEXT", "Groups of 3D parallelism: \"MP(2)-DP(5)-PP(2)\""},
      {"--placement", "POLICY", "Which NPU each worker gets"},
      {"--m", "LIST", "Middle switches of FRED_m, a list"},
      {"--chunks", "N", "Pieces that are sent one after the other"},
      {"--comm-groups", "FILE", "JSON file with the members of the groups"},
      {"--dependencies", "WHICH",
       "Which count: all; existing (those on nodes that are not there are satisfied); data (control "
       "dependencies are left out)"},
      {"--replicate", "N", "So many ranks of the one file"},
      {"--bound", "FLOAT", "Percent by which sizes and times may differ from the source's"},
      {"--form", "FORM", "Of the traces"},
      {"--ranks", "N", "So many ranks"},
      {"--design", "NAME", "RTL, of `wafertlm rtl designs`"},
      {"--stacks", "INT", "Stacks of the memory"},
      {"--refresh", "WHICH", "Of a bank at a time, or of all banks at once"},
      {"--costs", "FILE", "Prices and powers (configs/costs)"},
      {"--workload", "FILE", "What is trained; several times: all of them"},
      {"--constraint", "TEXT", "Between what varies, linear; several times"},
      {"--evaluations", "N", "Evaluations at most"}};
  return rows;
}

const OptionRow& option_row(const std::string& name) {
  for (const OptionRow& row : option_rows()) {
    const std::string names = row.names;
    if (names == name || names.substr(names.find(',') + 1) == name) return row;
  }
  throw std::logic_error("the table of options has no row " + name);
}

std::string description_of(const OptionRow& row, const std::string& more) {
  return more.empty() ? row.meaning : std::string(row.meaning) + ": " + more;
}

CLI::Option* add_shared_flag(CLI::App& command, const std::string& name, bool& value,
                             const std::string& more) {
  const OptionRow& row = option_row(name);
  return command.add_flag(row.names, value, description_of(row, more));
}

CLI::Option* add_set_option(CLI::App& command, std::vector<std::string>& overrides, const WordList& keys,
                            const std::string& more) {
  return add_shared_option(command, "--set", overrides, more)
      ->allow_extra_args(false)
      ->check(completes([keys] {
        std::vector<std::string> words = keys();
        for (std::string& word : words) word += '=';
        return words;
      }));
}

CLI::Option* add_jobs_option(CLI::App& command, unsigned& jobs, const std::string& more) {
  jobs = host_cores();
  return add_shared_option(command, "--jobs", jobs, more)->check(CLI::Range(1U, 100'000U));
}

unsigned host_cores() { return std::max(1U, std::thread::hardware_concurrency()); }

double seconds_of(const std::string& option, const std::string& text) {
  constexpr double kPerSecond = 1e12;  // picoseconds
  try {
    return static_cast<double>(config::parse_time(text)) / kPerSecond;
  } catch (const config::QuantityError& error) {
    throw std::invalid_argument(option + " " + text + ": " + error.what());
  }
}

CLI::Validator completes(const WordList& words) { return Completes(words); }

std::vector<std::string> completions_of(const CLI::Option& option) {
  std::vector<std::string> words;
  try {
    // Which finds it and changes nothing.
    CLI::Validator mark = *const_cast<CLI::Option&>(option).get_validator(kCompletes);
    std::istringstream text(mark.active(true).get_description());
    for (std::string word; std::getline(text, word);) words.push_back(word);
  } catch (const CLI::OptionNotFound&) {
  }
  return words;
}

std::string renaming_of_option(const std::string& command, const std::string& option) {
  for (const FormerOption& each : kFormer)
    if (command == each.command && option == each.former)
      return std::string("; it is called ") + each.now + " now";
  return "";
}

}  // namespace wafertlm
