// SPDX-License-Identifier: Apache-2.0
// The entry points of libFuzzer: wafertlm_fuzz TARGET [-OPTION=VALUE ...] [CORPUS ...]
#include "tests/fuzz/targets.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace wafertlm::fuzz {
namespace {

using Target = void (*)(const std::string& input);

const std::map<std::string, Target> kTargets = {
    {"astra_sim", astra_sim},
    {"comm_groups", comm_groups},
    {"config", config},
    {"efficiency", efficiency},
    {"et", et},
    {"et_gz", et_gz},
    {"json", json},
    {"kineto", kineto},
    {"msccl", msccl},
    {"placement", placement},
    {"pytorch_et", pytorch_et},
    {"recording", recording},
    {"results", results},
};

Target chosen = nullptr;

}  // namespace
}  // namespace wafertlm::fuzz

extern "C" {

/// SystemC's library wants one; nothing is simulated here.
int sc_main(int, char**) { return 1; }

/// Takes the name of the target from the command line.
int LLVMFuzzerInitialize(int* argc, char*** argv) {
  using namespace wafertlm::fuzz;
  const auto found = kTargets.find(*argc > 1 ? (*argv)[1] : "");
  if (found == kTargets.end()) {
    std::fprintf(stderr, "wafertlm_fuzz: the first argument must be one of:");
    for (const auto& [name, target] : kTargets) std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  chosen = found->second;
  std::rotate(*argv + 1, *argv + 2, *argv + *argc);
  --*argc;
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wafertlm::fuzz::chosen({data, data + size});
  return 0;
}
}
