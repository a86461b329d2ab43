// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

namespace wafertlm {

std::function<int()> add_hello_command(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  app.add_subcommand("hello", "Say hello")->add_option("NAME", *name, "To whom")->required();
  return [name] {
    fmt::print("hello, {}\n", *name);
    return 0;
  };
}

}  // namespace wafertlm
