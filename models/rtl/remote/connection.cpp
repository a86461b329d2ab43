// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/remote/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

std::string error_text(int number) { return std::generic_category().message(number); }

/// A socket that is closed, and whose path is removed, at the end.
class Listener {
 public:
  explicit Listener(const std::string& path) : path_(path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path)
      throw std::invalid_argument(
          say("remote:", path, ": the path of a socket has 1 to ", sizeof address.sun_path - 1, " letters"));
    path.copy(address.sun_path, path.size());
    const auto* const at = reinterpret_cast<const sockaddr*>(&address);
    socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // What a killed run has left is in the way; what listens is somebody's.
    if (socket_ >= 0 && connect(socket_, at, sizeof address) == 0) {
      close(socket_);
      throw std::invalid_argument(say("remote:", path, ": another program listens there"));
    }
    struct stat there {};
    if (lstat(path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode)) unlink(path.c_str());
    if (socket_ < 0 || bind(socket_, at, sizeof address) != 0 || listen(socket_, 1) != 0) {
      const int why = errno;
      if (socket_ >= 0) close(socket_);
      throw std::invalid_argument(say("remote:", path, ": no socket can be there: ", error_text(why)));
    }
  }
  ~Listener() {
    close(socket_);
    unlink(path_.c_str());
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  /// One that says something; others only look who listens. -1: nobody came.
  int accepted(double patience_s) const {
    const auto end = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(patience_s * 1000));
    while (is_readable(socket_, end)) {
      const int came = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      char first = 0;
      if (is_readable(came, end) && recv(came, &first, 1, MSG_PEEK) == 1) return came;
      close(came);
    }
    return -1;
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool is_readable(int descriptor, Clock::time_point end) const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0)
      throw std::invalid_argument(say("remote:", path_, ": the wait for a simulator was interrupted"));
    return ready != 0;
  }

  std::string path_;
  int socket_;
};

}  // namespace

RtlConnection::RtlConnection(std::string path, RtlPatience patience)
    : path_(std::move(path)), patience_(patience) {
  const Listener listener(path_);
  socket_ = listener.accepted(patience.come_s);
  if (socket_ < 0)
    throw std::invalid_argument(say("remote:", path_, ": no simulator came in ", patience.come_s,
                                    " s; start it with +wafertlm=", path_));
  timeval most{};
  most.tv_sec = static_cast<time_t>(patience.answer_s);
  most.tv_usec = static_cast<suseconds_t>((patience.answer_s - static_cast<double>(most.tv_sec)) * 1e6);
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
    setsockopt(socket_, SOL_SOCKET, option, &most, sizeof most);
}

RtlConnection::~RtlConnection() { close(socket_); }

void RtlConnection::fail_now() const {
  if (errno == EAGAIN || errno == EWOULDBLOCK)
    throw RtlRemoteEnded(say("the simulator at ", path_, " has not answered for ", patience_.answer_s, " s"));
  throw RtlRemoteEnded(say("the simulator at ", path_, " has ended"));
}

void RtlConnection::send(const void* bytes, std::size_t size) {
  const auto length = static_cast<std::uint32_t>(size);
  message_.assign(reinterpret_cast<const char*>(&length), sizeof length);
  message_.append(static_cast<const char*>(bytes), size);
  for (std::size_t done = 0; done < message_.size();) {
    const ssize_t sent = ::send(socket_, message_.data() + done, message_.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) fail_now();
    done += static_cast<std::size_t>(sent);
  }
}

void RtlConnection::receive_all(char* to, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = recv(socket_, to + done, size - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = 0;
    if (got <= 0) fail_now();
    done += static_cast<std::size_t>(got);
  }
}

const std::string& RtlConnection::receive(std::size_t most) {
  std::uint32_t length = 0;
  receive_all(reinterpret_cast<char*>(&length), sizeof length);
  if (length > most)
    throw RtlRemoteEnded(say("what is at ", path_, " sends a message of ", length, " B, and at most ", most,
                             " B fit: is it of wafertlm_rtl.h?"));
  message_.resize(length);
  receive_all(message_.data(), length);
  return message_;
}

}  // namespace wafertlm
