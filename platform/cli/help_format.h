// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace wafertlm {

/// The lines of a footer within `width`; an example (an indented line) goes on as a shell reads it, after a
/// \.
std::string wrapped_footer(const std::string& footer, std::size_t width);

/// CLI11's help in 100 columns.
class HelpFormat final : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::string entry(const std::string& name, const std::string& description) const;
};

}  // namespace wafertlm
