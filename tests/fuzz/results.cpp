// SPDX-License-Identifier: Apache-2.0
// results.json of a run, as `wafertlm compare` reads it.
#include "platform/report/report.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/targets.h"

namespace wafertlm::fuzz {

void results(const std::string& input) {
  const std::string path = write("results.json", input);
  const auto read = accepted([&] { return read_results(path); });
  if (!read) return;
  again([&] {
    return compare_table({{"a", *read}, {"b", *read}}) + compare_html({{"a", *read}, {"b", *read}});
  });
}

}  // namespace wafertlm::fuzz
