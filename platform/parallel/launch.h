// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/parallel/board.h"
#include "platform/parallel/transport.h"

namespace wafertlm {

/// Another process of this simulation has failed, and says so: this one ends without a word.
class OtherFailed : public std::exception {
 public:
  const char* what() const noexcept override { return "another process has failed"; }
};

/// How many processes mpirun or srun has started this program as; 1: none has, or one.
std::uint32_t launched_processes();
/// What this process starts from now on runs alone, also if mpirun or srun has started this one.
void forget_launcher();
/// Open MPI asks root whether it means it; for the mpirun that this process starts or becomes.
void allow_mpi_as_root();
/// Has mpirun start the same command `processes` times, and waits for it. @return its exit code.
/// @throws std::invalid_argument: there is no mpirun, or this program was built without MPI; Interrupted.
int launch(std::uint32_t processes);
/// Over MPI. @throws std::invalid_argument: this program was built without MPI.
std::unique_ptr<Transport> mpi_transport();

/// All processes go on, or none: if `own` or that of another process is not null, the process with the lowest
/// number that has one throws it, the others OtherFailed.
void require_all(Transport& transport, const std::exception_ptr& own);
/// The texts of all processes are the same. @throws std::invalid_argument with `what` differs (or
/// OtherFailed).
void require_same_text(Transport& transport, const std::string& what, const std::string& text);

/// The processes of a run, by their number; watches whether those on this computer live, where no launcher
/// does.
class Watch {
 public:
  Watch(Transport& transport, Seat& seat);
  /// For messages, by process: "process 1 (wafers 2, 3)".
  void call_them(std::vector<std::string> names);
  /// How many of them are on this computer, this one among them.
  std::uint32_t here() const;
  /// Notes the simulated time that all have reached.
  void reached(std::uint64_t time_ps) { seat_.reached(time_ps); }
  /// @throws std::runtime_error that names processes which have ended by themselves, Interrupted for a
  /// signal, in the lowest process that lives on this computer: it is to end all (Transport::abort). The
  /// others wait for that, for ten seconds. With a launcher Interrupted only, at once.
  void look();

 private:
  struct Process {
    std::string host;
    int pid = 0;
  };
  std::vector<std::string> names_;
  std::vector<Process> processes_;
  std::uint32_t own_;
  Seat& seat_;
  std::optional<std::chrono::steady_clock::time_point> noticed_;
};

}  // namespace wafertlm
