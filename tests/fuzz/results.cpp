// SPDX-License-Identifier: Apache-2.0
// results.json of a run, as `wafertlm compare` reads it.
#include "platform/commands/compare/run_difference.h"
#include "platform/report/read_results.h"
#include "platform/report/report.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/targets.h"

namespace wafertlm::fuzz {

void results(const std::string& input) {
  const std::string path = write("results.json", input);
  const auto read = accepted([&] { return read_results(path); });
  if (!read) return;
  again([&] {
    const NamedResults runs = {{"a", *read}, {"b", *read}};
    const auto differences = run_differences(runs, {"", ""});
    return compare_table(runs) + differences_text(differences) + compare_html(runs, differences);
  });
}

}  // namespace wafertlm::fuzz
