// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/commands/check/all_kinds.h"
#include "platform/commands/check/key_list.h"
#include "platform/host/json_output.h"
#include "platform/host/validators.h"
#include "platform/text/suggest.h"

namespace wafertlm {
namespace {

struct KeysOptions {
  std::vector<std::string> words;
  std::string kind;
  bool json = false;
};

bool has_all(const KeyRow& row, const std::vector<std::string>& words) {
  const std::string text = row.kind + " " + row.path + " " + row.what + " " + row.value;
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return boost::algorithm::icontains(text, word); });
}

/// What an experiment's platform and workload have is listed once, with their own files.
bool is_of_other_file(const KeyRow& row) {
  return row.kind == "experiment" &&
         (row.path.rfind("platform.", 0) == 0 || row.path.rfind("workload.", 0) == 0);
}

std::string row_text(const KeyRow& row) {
  const std::string usual = row.usual.empty()         ? ""
                            : row.usual == "required" ? "  (required)"
                                                      : "  [" + row.usual + "]";
  return fmt::format("{}: {}  {}{}\n    {}\n", row.kind, row.path, row.value, usual, row.what);
}

int find_keys(const KeysOptions& options) {
  nlohmann::ordered_json found = nlohmann::ordered_json::array();
  std::string text;
  std::vector<std::string> last;
  for (const KeyRow& row : key_rows(all_file_kinds())) {
    if (!options.kind.empty() ? row.kind != options.kind : is_of_other_file(row)) continue;
    last.push_back(row.path.substr(row.path.rfind('.') + 1));
    if (!has_all(row, options.words)) continue;
    text += row_text(row);
    found.push_back({{"kind", row.kind},
                     {"path", row.path},
                     {"value", row.value},
                     {"unit", row.unit},
                     {"default", row.usual},
                     {"description", row.what}});
  }
  if (found.empty())
    throw std::invalid_argument(
        fmt::format("no key has '{}'{}", fmt::join(options.words, " "),
                    options.words.empty() ? "" : config::did_you_mean(options.words.front(), last)));
  fmt::print("{}", options.json ? json_text({{"keys", found}}) : text);
  return 0;
}

}  // namespace

std::function<int()> add_keys_command(CLI::App& app) {
  auto options = std::make_shared<KeysOptions>();
  CLI::App* command = app.add_subcommand(
      "keys", "Find keys of YAML files by a word: path, what may be written, default and meaning");
  command->add_option("WORD", options->words,
                      "What the path, meaning or value has; several: all of them; all keys if not given");
  command->add_option("--kind", options->kind, "Only of one kind of file, told by the key at its top")
      ->check(one_of_names([] {
        std::vector<std::string> keys;
        for (const config::FileKind& kind : all_file_kinds()) keys.push_back(kind.key());
        return keys;
      }));
  add_json_flag(*command, options->json);
  command->footer(
      "KIND: PATH  VALUE  [DEFAULT]. `run --set` takes the paths of an experiment, and those of its platform "
      "as they are.\n"
      "Examples:\n"
      "  wafertlm keys link_bandwidth\n"
      "  wafertlm keys --kind workload pipeline schedule");
  return [options] { return find_keys(*options); };
}

}  // namespace wafertlm
