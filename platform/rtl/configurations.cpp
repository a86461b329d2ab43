// SPDX-License-Identifier: Apache-2.0
#include "platform/rtl/configurations.h"

#include <stdexcept>

namespace wafertlm {

RtlConfiguration rtl_configuration(const RtlDesign& design) {
  if (design.configuration.empty()) return {};
  throw std::invalid_argument("the RTL design '" + design.name + "' asks for the configuration '" +
                              design.configuration + "'; known: fred");
}

}  // namespace wafertlm
