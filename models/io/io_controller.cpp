// SPDX-License-Identifier: Apache-2.0
#include "models/io/io_controller.h"

#include <stdexcept>

namespace wafertlm {

void IoController::execute(Operation&, std::uint64_t, TimePs) {
  throw std::logic_error(std::string(name()) +
                         ": an I/O controller does not compute and has no memory of its own");
}

}  // namespace wafertlm
