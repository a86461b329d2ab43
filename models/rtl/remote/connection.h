// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <string>

namespace wafertlm {

/// The simulator at the other end has gone, or is silent. No std::runtime_error: with those RTL says that it
/// found a fault, for which stress() would look for a shorter sequence.
class RtlRemoteEnded final : public std::exception {
 public:
  explicit RtlRemoteEnded(std::string why) : why_(std::move(why)) {}
  const char* what() const noexcept override { return why_.c_str(); }

 private:
  std::string why_;
};

/// For how long it is waited, of this computer's time.
struct RtlPatience {
  double come_s = 60;    ///< for the simulator
  double answer_s = 60;  ///< for each of its messages
};

/// A simulator that came to a Unix domain socket; messages as in wafertlm_rtl.h.
class RtlConnection {
 public:
  /// Listens at `path`, waits for one simulator, and removes the path again.
  /// @throws std::invalid_argument: nobody came, or no socket can be there.
  RtlConnection(std::string path, RtlPatience patience);
  ~RtlConnection();
  RtlConnection(const RtlConnection&) = delete;
  RtlConnection& operator=(const RtlConnection&) = delete;

  /// @throws RtlRemoteEnded, as receive().
  void send(const void* bytes, std::size_t size);
  /// The next message, which has at most so many bytes.
  const std::string& receive(std::size_t most);
  const std::string& path() const { return path_; }

 private:
  void receive_all(char* to, std::size_t size);
  [[noreturn]] void fail_now() const;

  std::string path_;
  RtlPatience patience_;
  int socket_ = -1;
  std::string message_;
};

}  // namespace wafertlm
