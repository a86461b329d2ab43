// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/version.h"

#include <fmt/core.h>

namespace wafertlm {

// Of the source tree when this was built: a file that the build writes (platform/cli/commit.cmake).
extern const char* const kBuiltFromCommit;
extern const char* const kBuiltWithVerilator;
extern const char* const kBuiltWithSystemC;

std::string version_text() {
#ifdef __clang__
  const char* const compiler = "clang " __clang_version__;
#else
  const char* const compiler = "g++ " __VERSION__;
#endif
  return fmt::format("wafertlm {} (commit {})\nSystemC {}\nVerilator {}\nCompiler {}", WAFERTLM_VERSION,
                     kBuiltFromCommit, kBuiltWithSystemC, kBuiltWithVerilator, compiler);
}

}  // namespace wafertlm
