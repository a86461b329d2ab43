// SPDX-License-Identifier: Apache-2.0
#include "platform/parallel/board.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace wafertlm {
namespace {

static_assert(std::atomic<Shown::State>::is_always_lock_free &&
              std::atomic<std::int32_t>::is_always_lock_free &&
              std::atomic<std::uint64_t>::is_always_lock_free);

/// "HOST:FILE": mpirun passes it on, also to other computers.
constexpr const char* kBoard = "WAFERTLM_BOARD";
constexpr const char* kName = "wafertlm_board";
/// What mpirun calls the process that it starts.
constexpr const char* kRank = "OMPI_COMM_WORLD_RANK";

}  // namespace

std::string own_host() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

Board::Board(std::uint32_t processes) : size_(processes) {
  const std::size_t bytes = processes * sizeof(Shown);
  file_ = memfd_create(kName, MFD_CLOEXEC);
  void* memory = MAP_FAILED;
  if (file_ >= 0 && ftruncate(file_, static_cast<off_t>(bytes)) == 0)
    memory = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file_, 0);
  if (memory == MAP_FAILED) {
    const int error = errno;
    if (file_ >= 0) close(file_);
    throw std::runtime_error(std::string("no memory to share with other processes: ") + std::strerror(error));
  }
  rows_ = static_cast<const Shown*>(memory);
  setenv(kBoard, fmt::format("{}:/proc/{}/fd/{}", own_host(), getpid(), file_).c_str(), 1);
}

Board::~Board() {
  unsetenv(kBoard);
  munmap(const_cast<Shown*>(rows_), size_ * sizeof(Shown));
  close(file_);
}

std::uint64_t Board::reached_ps() const {
  std::uint64_t most = 0;
  for (std::uint32_t process = 0; process < size_; ++process)
    most = std::max<std::uint64_t>(most, rows_[process].reached_ps);
  return most;
}

std::string Board::name_of(std::uint32_t process) const {
  const Shown& row = rows_[process];
  if (row.state == Shown::State::absent) return fmt::format("process {} (which had not begun)", process);
  const std::string name(row.name.data(), strnlen(row.name.data(), row.name.size()));
  return fmt::format("{} (pid {})", name.empty() ? fmt::format("process {}", process) : name, row.pid.load());
}

Seat::Seat() {
  const char *const board = std::getenv(kBoard), *const rank = std::getenv(kRank);
  const std::string host = own_host() + ":";
  if (!board || !rank || std::string(board).rfind(host, 0) != 0) return;
  const char* const path = board + host.size();
  std::error_code error;  // where a launcher is gone, its number may be another process's
  if (std::filesystem::read_symlink(path, error).string().rfind(std::string("/memfd:") + kName, 0) != 0)
    return;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  struct stat found {};
  const std::size_t row = std::strtoul(rank, nullptr, 10);
  if (fstat(file, &found) == 0) bytes_ = static_cast<std::size_t>(found.st_size);
  void* const memory = (row + 1) * sizeof(Shown) > bytes_
                           ? MAP_FAILED
                           : mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return;
  mapped_ = memory;
  row_ = static_cast<Shown*>(memory) + row;
  row_->pid = getpid();
  row_->state = Shown::State::runs;
}

Seat::~Seat() {
  if (row_->state == Shown::State::runs) row_->state = Shown::State::leaves;
  if (mapped_) munmap(mapped_, bytes_);
}

void Seat::call_it(const std::string& name) {
  const std::size_t most = row_->name.size() - 1;
  const std::string shown = name.size() <= most ? name : name.substr(0, most - 5) + " …)";
  shown.copy(row_->name.data(), most);
}

}  // namespace wafertlm
