// SPDX-License-Identifier: Apache-2.0
#include "platform/host/out_of_memory.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "platform/host/host_memory.h"

namespace wafertlm {
namespace {

/// Nothing here allocates.
class OutOfMemory final : public std::bad_alloc {
 public:
  OutOfMemory() {
    const double taken_mb = 1e-6 * static_cast<double>(address_space_bytes()),
                 limit_mb = 1e-6 * static_cast<double>(address_space_limit_bytes());
    const char* const what_to_do =
        "take fewer NPUs, iterations, layers or samples (`wafertlm check` estimates what a run takes)";
    if (limit_mb < 1e12)
      std::snprintf(text_.data(), text_.size(),
                    "out of memory: %.0f MB of the address space are taken, and more than %.0f MB are not "
                    "allowed (ulimit -v); raise the limit, or %s",
                    taken_mb, limit_mb, what_to_do);
    else
      std::snprintf(text_.data(), text_.size(), "out of memory: %.0f MB of the address space are taken; %s",
                    taken_mb, what_to_do);
  }
  const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 400> text_{};
};

[[noreturn]] void end() {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const OutOfMemory& error) {
    std::fprintf(stderr, "wafertlm: %s\n", error.what());
    _exit(1);
  } catch (...) {
  }
  std::abort();
}

}  // namespace

void explain_out_of_memory() {
  std::set_new_handler([] { throw OutOfMemory(); });
  std::set_terminate(end);
}

}  // namespace wafertlm
