// SPDX-License-Identifier: Apache-2.0
// ASTRA-sim's network, system and memory files, as `wafertlm astra-sim` reads them:
// the input is the three of them with lines "====" between. What they become must load.
#include "platform/commands/astra_sim/astra_files.h"

#include "platform/spec/load.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/targets.h"

namespace wafertlm::fuzz {
namespace {

/// The text up to the next line "====", which is taken away.
std::string part(std::string& rest) {
  const std::string line = "\n====\n";
  const std::size_t end = rest.find(line);
  std::string first = rest.substr(0, end);
  rest = end == std::string::npos ? "" : rest.substr(end + line.size());
  return first;
}

}  // namespace

void astra_sim(const std::string& input) {
  std::string rest = input;
  astra_sim::Files files;
  files.network = write("network.yml", part(rest));
  files.system = write("system.json", part(rest));
  if (!rest.empty()) files.remote_memory = write("memory.json", rest);
  const auto made = accepted([&] { return astra_sim::convert(files); });
  if (!made) return;
  const std::string platform = write("platform.yaml", astra_sim::yaml_files(*made).front().second);
  accepted([&] { return config::load_platform(platform); });
}

}  // namespace wafertlm::fuzz
