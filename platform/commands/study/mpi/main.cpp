// SPDX-License-Identifier: Apache-2.0
// wafertlm_mpi PROGRAM PLAN CELLS: rank 0 hands out the cells of a plan, one at a time in their order; each
// other rank passes them on to a `PROGRAM study worker PLAN` of its own. `wafertlm study --engine mpi` starts
// it. Only numbers go through MPI: what cells come to is in files.
#include <mpi.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr int kManager = 0, kNone = -1, kTag = 0;

/// A process that runs cells: a line with a number to it, a line from it when that cell has ended.
struct Worker {
  FILE *to = nullptr, *from = nullptr;

  Worker(const char* program, const char* plan) {
    std::array<int, 2> in{}, out{};
    if (pipe(in.data()) != 0 || pipe(out.data()) != 0) return;
    const pid_t parent = getpid(), process = fork();
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent || dup2(in[0], STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0) _exit(127);
      for (const int end : {in[0], in[1], out[0], out[1]}) close(end);
      execl(program, "wafertlm", "study", "worker", plan, nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to = fdopen(in[1], "w");
    from = fdopen(out[0], "r");
  }
  /// @return whether the worker still lives.
  bool run(int cell) const {
    std::array<char, 64> answer{};
    return to != nullptr && from != nullptr && std::fprintf(to, "%d\n", cell) > 0 && std::fflush(to) == 0 &&
           std::fgets(answer.data(), static_cast<int>(answer.size()), from) != nullptr;
  }
};

/// Waiting in MPI takes a whole core, and the cells of this machine need it.
int received(int from, MPI_Status* status) {
  constexpr std::chrono::microseconds kNap{500};
  for (int is_there = 0;;) {
    MPI_Iprobe(from, kTag, MPI_COMM_WORLD, &is_there, status);
    if (is_there != 0) break;
    std::this_thread::sleep_for(kNap);
  }
  int value = kNone;
  MPI_Recv(&value, 1, MPI_INT, status->MPI_SOURCE, kTag, MPI_COMM_WORLD, status);
  return value;
}

void send(int value, int to) { MPI_Send(&value, 1, MPI_INT, to, kTag, MPI_COMM_WORLD); }

void manage(int cells, int workers) {
  for (int next = 0; workers > 0;) {
    MPI_Status status;
    received(MPI_ANY_SOURCE, &status);
    const bool has_more = next < cells;
    send(has_more ? next++ : kNone, status.MPI_SOURCE);
    if (!has_more) --workers;
  }
}

/// @return whether the worker lived to the end.
bool work(const Worker& worker) {
  while (true) {
    send(kNone, kManager);
    MPI_Status status;
    const int cell = received(kManager, &status);
    if (cell == kNone) return true;
    if (!worker.run(cell)) return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("wafertlm_mpi PROGRAM PLAN CELLS: `wafertlm study --engine mpi` starts it\n", stderr);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  const Worker worker(argv[1], argv[2]);  // before MPI has threads and memory that a fork would copy
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    std::fputs("wafertlm_mpi needs two ranks, a manager and a worker\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (rank == kManager) {
    manage(std::atoi(argv[3]), ranks - 1);
  } else if (!work(worker)) {
    std::fprintf(stderr, "wafertlm_mpi: the worker of rank %d has ended\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
