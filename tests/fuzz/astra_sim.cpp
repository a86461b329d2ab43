// SPDX-License-Identifier: Apache-2.0
// ASTRA-sim's network, system and memory files, as `wafertlm convert astra-sim` and `astra-sim` read them:
// the input is the three of them with lines "====" between. What they become must load.
#include "platform/astra_sim/astra_files.h"

#include "platform/config/load.h"
#include "tests/fuzz/fuzz.h"

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
}  // namespace wafertlm::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafertlm;
  std::string text(data, data + size);
  astra_sim::Files files;
  files.network = fuzz::write("network.yml", fuzz::part(text));
  files.system = fuzz::write("system.json", fuzz::part(text));
  if (!text.empty()) files.remote_memory = fuzz::write("memory.json", text);
  const auto made = fuzz::accepted([&] { return astra_sim::convert(files, "platform.yaml"); });
  if (!made) return 0;
  const std::string platform = fuzz::write("platform.yaml", made->platform_yaml);
  fuzz::accepted([&] { return config::load_platform(platform); });
  return 0;
}
