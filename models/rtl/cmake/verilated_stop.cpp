// SPDX-License-Identifier: Apache-2.0
// What a failed assertion of the RTL does: an error of the run in place of abort().
#include <verilated.h>

#include <stdexcept>
#include <string>

namespace {

[[noreturn]] void fail(const char* what, const char* file, int line, const char* scope) {
  throw std::runtime_error(std::string(what) + ": " + file + ":" + std::to_string(line) +
                           (scope && *scope ? std::string(" in ") + scope : ""));
}

}  // namespace

void vl_stop(const char* file, int line, const char* scope) {
  fail("the RTL stopped (an assertion failed)", file, line, scope);
}

void vl_fatal(const char* file, int line, const char* scope, const char* message) {
  fail(message, file, line, scope);
}
