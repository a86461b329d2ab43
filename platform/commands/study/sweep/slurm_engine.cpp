// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "platform/commands/study/sweep/engine.h"
#include "platform/commands/study/sweep/slurm.h"
#include "platform/host/digest.h"
#include "platform/host/interrupt.h"
#include "platform/host/shell.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

/// Of a task, where there are enough of them: beside it what Slurm takes to start a task is little.
constexpr double kTaskSeconds = 120;
/// So many tasks for each CPU let those that end early help out.
constexpr std::size_t kTasksPerCpu = 4;
constexpr double kFirstPollSeconds = 0.2, kMostPollSeconds = 5;

std::string script_of(const SweepPlan& round, const std::string& plan_file, std::size_t first_task) {
  return fmt::format("#!/bin/sh\nexec {} study worker {} --task $(({} + SLURM_ARRAY_TASK_ID))\n",
                     shell_quoted(round.program), shell_quoted(plan_file), first_task);
}

class SlurmEngine {
 public:
  explicit SlurmEngine(const Sweep& sweep)
      : sweep_(sweep),
        folder_(sweep.files().sweep()),
        name_("wafertlm-" + sha256(folder_.string()).substr(0, 12)) {}

  void run() {
    Patience patience(sweep_);
    for (std::vector<std::string> jobs; !sweep_.is_over();) {
      wait();
      if (sweep_.is_over()) return;
      for (const std::string& job : jobs)
        if (slurm_.is_cancelled(job))
          throw std::runtime_error("job " + job + " was cancelled; the same command goes on");
      if (!jobs.empty())
        patience.require_progress(fmt::format("jobs {}, which said what is in {},", fmt::join(jobs, ", "),
                                              (folder_ / "slurm-*.txt").string()));
      const SweepPlan round = sweep_.next_round();
      if (round.cells.empty()) return;
      jobs = submit(round);
    }
  }

 private:
  /// Until no job of ours is left, or every cell has ended.
  void wait() {
    const auto started = std::chrono::steady_clock::now();
    while (true) {
      const std::vector<Slurm::Job> jobs = slurm_.jobs_named(name_);
      if (jobs.empty() || sweep_.is_over()) return;
      if (!sweep_.options().waits && !jobs.front().id.empty()) leave_to_collector(jobs);
      std::size_t running = 0;
      for (const Slurm::Job& job : jobs) {
        running += job.state == "RUNNING";
        if (job.state == "PENDING" && job.reason == "BeginTime") slurm_.start_now(job.id);
      }
      sweep_.show(running);
      const Seconds passed = std::chrono::steady_clock::now() - started;
      nap(std::clamp(passed.count() / 20, kFirstPollSeconds, kMostPollSeconds));
    }
  }

  void nap(double seconds) const {
    for (const auto until = std::chrono::steady_clock::now() + Seconds(seconds);
         std::chrono::steady_clock::now() < until; std::this_thread::sleep_for(Seconds(0.05)))
      if (const int signal = InterruptNotes::signal(); signal != 0)
        throw Interrupted(signal, fmt::format("ended by {}; the jobs go on: the same command collects "
                                              "what they do, `scancel --name {}` ends them",
                                              signal_name(signal), name_));
  }

  std::size_t tasks_for(const SweepPlan& round) const {
    const std::size_t cells = round.cells.size();
    if (const unsigned per_task = sweep_.options().cells_per_task; per_task > 0)
      return (cells + per_task - 1) / per_task;
    const double seconds =
        std::accumulate(round.cells.begin(), round.cells.end(), 0.0,
                        [](double sum, const PlannedCell& cell) { return sum + cell.expected_s; });
    const std::size_t at_a_time = sweep_.options().jobs > 0 ? sweep_.options().jobs : slurm_.cpus(),
                      most = std::max<std::size_t>(1, slurm_.setting("MaxJobCount", 10'000) / 4);
    const auto by_length = static_cast<std::size_t>(seconds / kTaskSeconds);
    return std::clamp<std::size_t>(std::max({by_length, kTasksPerCpu * at_a_time, std::size_t{1}}), 1,
                                   std::min(cells, most));
  }

  /// @return ids of the jobs
  std::vector<std::string> submit(SweepPlan round) {
    round.tasks = static_cast<std::uint32_t>(tasks_for(round));
    const fs::path plan_file = sweep_.plan_file(round);
    write_plan(plan_file, round);
    const std::size_t array = slurm_.setting("MaxArraySize", 1001);
    std::vector<std::string> ids;
    for (std::size_t first = 0; first < round.tasks; first += array) {
      const fs::path script = folder_ / "plans" / fmt::format("{}-from-{}.sh", round.round, first);
      sweep_.files().put(script, script_of(round, plan_file.string(), first));
      const unsigned limit = sweep_.options().jobs;
      ids.push_back(slurm_.submit(fmt::format(
          "--array=0-{}{} --requeue --open-mode=append --ntasks=1 --job-name {} --chdir {} --output {} {} {}",
          std::min<std::size_t>(array, round.tasks - first) - 1, limit > 0 ? fmt::format("%{}", limit) : "",
          name_, shell_quoted(round.folder), shell_quoted((folder_ / "slurm-%A_%a.txt").string()),
          sweep_.options().sbatch, shell_quoted(script.string()))));
    }
    return ids;
  }

  /// A job that begins when these have ended. @throws Submitted.
  [[noreturn]] void leave_to_collector(const std::vector<Slurm::Job>& jobs) {
    std::set<std::string> ids;
    for (const Slurm::Job& job : jobs) ids.insert(job.array_id);
    const std::string all = fmt::format("{}", fmt::join(ids, ", "));
    const std::string name = name_ + "-collect", own = own_job();
    for (const Slurm::Job& job : slurm_.jobs_named(name))
      if (job.state == "PENDING" && job.id != own)
        throw Submitted(fmt::format("Slurm runs the cells (jobs {}); job {} collects", all, job.id));
    const fs::path script = folder_ / "plans" / "collect.sh", study = sweep_.files().folder().parent_path();
    sweep_.files().put(script, fmt::format("#!/bin/sh\nexec {} study resume {}\n", shell_quoted(own_path()),
                                           shell_quoted(study.string())));
    const std::string collector =
        slurm_.submit(fmt::format("--dependency=afterany:{} --requeue --open-mode=append --ntasks=1 "
                                  "--job-name {} --chdir {} --output {} "
                                  "{} {}",
                                  fmt::join(ids, ":"), name, shell_quoted(fs::current_path().string()),
                                  shell_quoted((folder_ / "collect.txt").string()), sweep_.options().sbatch,
                                  shell_quoted(script.string())));
    throw Submitted(fmt::format("Slurm runs the cells (jobs {}); then job {} collects", all, collector));
  }

  /// The job that this process is in; "": none.
  static std::string own_job() {
    const char* const id = std::getenv("SLURM_JOB_ID");
    return id == nullptr ? "" : id;
  }

  const Sweep& sweep_;
  fs::path folder_;
  std::string name_;  // finds our jobs, whoever submitted them
  Slurm slurm_;
};

}  // namespace

void require_slurm(const SweepOptions&) {
  for (const char* const name : {"sbatch", "squeue", "scontrol", "sinfo"})
    if (!has_program(name))
      throw std::invalid_argument(
          fmt::format("--engine slurm: there is no {} in PATH; run it where jobs are submitted", name));
  const Answer answer = ask_shell("timeout 20 squeue --noheader --me");
  if (answer.exit_code != 0)
    throw std::invalid_argument("--engine slurm: no controller answers: " +
                                answer.text.substr(0, answer.text.find('\n')));
}

void run_on_slurm(const Sweep& sweep) { SlurmEngine(sweep).run(); }

}  // namespace wafertlm
