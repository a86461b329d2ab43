// SPDX-License-Identifier: Apache-2.0
// wafertlm_mpi PLAN: rank 0 hands out the cells of a plan, one at a time and the longest first; the others
// run them. `wafertlm study --engine mpi` starts it.
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <string>
#include <systemc>
#include <thread>

#include "platform/command/interrupt.h"
#include "platform/study/sweep/cell_worker.h"
#include "platform/study/sweep/sweep.h"

namespace {

constexpr int kManager = 0, kNone = -1, kTag = 0;

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

void manage(std::size_t cells, int workers) {
  std::size_t next = 0;
  while (workers > 0) {
    MPI_Status status;
    received(MPI_ANY_SOURCE, &status);
    const bool has_more = next < cells;
    send(has_more ? static_cast<int>(next++) : kNone, status.MPI_SOURCE);
    if (!has_more) --workers;
  }
}

void work(const wafertlm::SweepPlan& plan, int rank) {
  wafertlm::CellWorker worker(plan, plan.program, wafertlm::Sweep::journal(plan, std::to_string(rank)));
  while (true) {
    send(kNone, kManager);
    MPI_Status status;
    const int cell = received(kManager, &status);
    if (cell == kNone) return;
    worker.run({static_cast<std::size_t>(cell)}, 1);
  }
}

int run(const char* file) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) throw std::invalid_argument("wafertlm_mpi needs two ranks, a manager and a worker");
  const wafertlm::SweepPlan plan = wafertlm::read_plan(file);
  std::filesystem::current_path(plan.folder);
  if (rank == kManager)
    manage(plan.cells.size(), ranks - 1);
  else
    work(plan, rank);
  return 0;
}

}  // namespace

// The library of models refers to it.
int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "wafertlm_mpi PLAN: `wafertlm study --engine mpi` starts it\n";
    return 2;
  }
  // Before MPI starts its threads: a signal that a cell has ended must not go to one of them.
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, nullptr);
  MPI_Init(&argc, &argv);
  const wafertlm::InterruptNotes interrupts;
  try {
    run(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "wafertlm_mpi: " << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
