// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/named_design.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

#include "models/rtl/remote/remote_design.h"
#include "platform/host/verbosity.h"

namespace wafertlm {

RtlDesign named_rtl_design(const std::string& name, RtlProtocolTest fits) {
  const std::string remote = "remote:";
  if (name.rfind(remote, 0) != 0) return find_rtl_design(name, rtl_designs(), rtl_is_built(), fits);
  const std::string path = name.substr(remote.size());
  const RtlPatience patience;
  if (verbosity() != Verbosity::quiet && isatty(STDERR_FILENO) != 0)
    fmt::print(stderr, "waiting up to {} s for a simulator at {}\n", patience.come_s, path);
  return remote_rtl_design(path, patience);
}

}  // namespace wafertlm
