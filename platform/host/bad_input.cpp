// SPDX-License-Identifier: Apache-2.0
#include "platform/host/bad_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "platform/text/config_error.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm {
namespace {

/// Names of files that lead nowhere are bad input; a full disk is not.
bool is_bad_name(const std::error_code& code) {
  static constexpr std::errc kBad[] = {std::errc::too_many_symbolic_link_levels,
                                       std::errc::filename_too_long,
                                       std::errc::permission_denied,
                                       std::errc::operation_not_permitted,
                                       std::errc::no_such_file_or_directory,
                                       std::errc::not_a_directory,
                                       std::errc::is_a_directory,
                                       std::errc::read_only_file_system};
  return std::find(std::begin(kBad), std::end(kBad), code) != std::end(kBad);
}

}  // namespace

bool is_bad_input(const std::exception& error) {
  if (const auto* const failed = dynamic_cast<const std::system_error*>(&error))
    return is_bad_name(failed->code());
  return dynamic_cast<const config::ConfigError*>(&error) != nullptr ||
         dynamic_cast<const chakra::TraceError*>(&error) != nullptr ||
         dynamic_cast<const std::invalid_argument*>(&error) != nullptr;
}

void fail_to_write(const std::string& what, int error) {
  const std::string text = fmt::format("{} ({})", what, std::strerror(error));
  if (error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO) throw std::runtime_error(text);
  throw std::invalid_argument(text);
}

}  // namespace wafertlm
