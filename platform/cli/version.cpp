// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/version.h"

#include <fmt/core.h>

#include <systemc>

namespace wafertlm {

// Of the source tree when this was built: a file that the build writes (platform/cli/commit.cmake).
extern const char* const kBuiltFromCommit;
extern const char* const kBuiltWithVerilator;

std::string version_text() {
#ifdef __clang__
  const char* const compiler = "clang " __clang_version__;
#else
  const char* const compiler = "g++ " __VERSION__;
#endif
  return fmt::format("wafertlm {} (commit {})\nSystemC {}.{}.{}\nVerilator {}\nCompiler {}", WAFERTLM_VERSION,
                     kBuiltFromCommit, SC_VERSION_MAJOR, SC_VERSION_MINOR, SC_VERSION_PATCH,
                     kBuiltWithVerilator, compiler);
}

}  // namespace wafertlm
