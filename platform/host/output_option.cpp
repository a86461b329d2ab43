// SPDX-License-Identifier: Apache-2.0
#include "platform/host/output_option.h"

#include <string>
#include <utility>

namespace wafertlm {
namespace {

constexpr std::pair<OutputKind, const char*> kMarks[] = {{OutputKind::file, "output file"},
                                                         {OutputKind::folder, "output folder"},
                                                         {OutputKind::prefix, "output prefix"}};

}  // namespace

CLI::Validator names_output(OutputKind kind) {
  return CLI::Validator([](const std::string&) { return std::string(); }, "",
                        kMarks[static_cast<std::size_t>(kind)].second);
}

std::optional<OutputKind> output_kind(CLI::Option& option) {
  for (const auto& [kind, mark] : kMarks) try {
      option.get_validator(mark);
      return kind;
    } catch (const CLI::OptionNotFound&) {
    }
  return std::nullopt;
}

}  // namespace wafertlm
