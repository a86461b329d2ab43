// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <systemc>
#include <vector>

namespace wafertlm {

/// While it exists, only sockets that one of its globs names get a protocol checker: those that somebody
/// wants to look at, in a run without checkers. It is a part of the simulation like a module, made before the
/// platform.
class SocketChoice final : public sc_core::sc_object {
 public:
  explicit SocketChoice(std::vector<std::string> globs);

  /// Whether a checker of this name is wanted; all are where there is no choice.
  static bool wants(const std::string& name);

 private:
  static constexpr const char* kName = "socket_choice";
  std::vector<std::string> globs_;
};

}  // namespace wafertlm
