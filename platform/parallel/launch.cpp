// SPDX-License-Identifier: Apache-2.0
#include "platform/parallel/launch.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "platform/host/interrupt.h"
#include "platform/host/shell.h"
#include "platform/parallel/supervision.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

/// What mpirun, and srun with PMIx, set for the processes that they start.
constexpr const char *kOfOpenMpi = "OMPI_COMM_WORLD_SIZE", *kOfPmix = "PMIX_RANK";

/// Beside the program in a build folder, else where it was installed. Empty: it was built without MPI.
fs::path mpi_library() {
  const fs::path folder = fs::path(own_path()).parent_path();
  for (const fs::path& path : {folder / "libwafertlm_mpi.so", folder / "../lib/wafertlm/libwafertlm_mpi.so"})
    if (fs::exists(path)) return path;
  return {};
}

void require_mpi() {
  if (mpi_library().empty())
    throw std::invalid_argument(
        "this wafertlm was built without MPI, which several processes need: install libopenmpi-dev and "
        "openmpi-bin and build it again");
}

/// The words, each ended by a zero byte.
std::string own_command_line() {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/proc/self/cmdline", "rb"), std::fclose);
  std::string line;
  for (int letter = 0; file && (letter = std::fgetc(file.get())) != EOF;) line += static_cast<char>(letter);
  return line;
}

std::uint32_t number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : 0;
}

Transport::Bytes bytes_of(const std::string& text) {
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::string text_of(const Transport::Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Each process's text, by process, in all of them.
std::vector<std::string> texts_of_all(Transport& transport, const std::string& own) {
  std::vector<std::string> texts;
  const std::vector<Transport::Bytes> to(transport.processes(), bytes_of(own));
  for (const Transport::Bytes& bytes : transport.exchange(to, {}).from) texts.push_back(text_of(bytes));
  texts[transport.process()] = own;
  return texts;
}

}  // namespace

void allow_mpi_as_root() {
  if (geteuid() != 0) return;
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
}

void forget_launcher() {
  unsetenv(kOfOpenMpi);
  unsetenv(kOfPmix);
}

std::uint32_t launched_processes() {
  if (const std::uint32_t of_open_mpi = number_in(kOfOpenMpi); of_open_mpi != 0) return of_open_mpi;
  if (std::getenv(kOfPmix)) return std::max<std::uint32_t>(number_in("SLURM_STEP_NUM_TASKS"), 1);
  return 1;
}

int launch(std::uint32_t processes) {
  require_mpi();
  if (!has_program("mpirun"))
    throw std::invalid_argument("--processes starts mpirun, which is not there: install openmpi-bin");
  const std::string line = own_command_line();
  // Quiet: it has been said what has failed, and mpirun would say it again.
  std::vector<std::string> words{"mpirun", "--quiet", "--oversubscribe",        "--bind-to",
                                 "none",   "-n",      std::to_string(processes)};
  const std::size_t own = words.size();
  for (std::size_t at = 0; at < line.size(); at += words.back().size() + 1)
    words.emplace_back(line.c_str() + at);
  words[own] = own_path();
  // Reading from a process that is gone would end a living one, too.
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  allow_mpi_as_root();
  return Supervision(std::move(words), processes).wait();
}

std::unique_ptr<Transport> mpi_transport() {
  require_mpi();
  void* const library = dlopen(mpi_library().c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) throw std::invalid_argument(std::string("MPI cannot be used: ") + dlerror());
  auto* const make = reinterpret_cast<MakeTransport*>(dlsym(library, kMakeTransport));
  if (!make) throw std::invalid_argument(mpi_library().string() + " is of another version");
  return std::unique_ptr<Transport>(make());
}

void require_all(Transport& transport, const std::exception_ptr& own) {
  const std::uint64_t mine = own ? transport.process() : kNever;
  const std::uint64_t first = transport.least({mine, 0, 0, 0, 0}).front();
  if (first == kNever) return;
  transport.all_end();
  if (own && first == transport.process()) std::rethrow_exception(own);
  throw OtherFailed();
}

void require_same_text(Transport& transport, const std::string& what, const std::string& text) {
  const std::vector<std::string> texts = texts_of_all(transport, text);
  for (std::size_t process = 1; process < texts.size(); ++process) {
    if (texts[process] == texts.front()) continue;
    transport.all_end();
    if (transport.process() != 0) throw OtherFailed();
    throw std::invalid_argument(fmt::format(
        "{} of process {} is not that of process 0: all of a simulation must have the same", what, process));
  }
}

Watch::Watch(Transport& transport, Seat& seat) : own_(transport.process()), seat_(seat) {
  for (const std::string& text : texts_of_all(transport, std::to_string(getpid()) + " " + own_host())) {
    names_.push_back("process " + std::to_string(names_.size()));
    processes_.push_back({text.substr(text.find(' ') + 1), std::stoi(text)});
  }
}

void Watch::call_them(std::vector<std::string> names) {
  names_ = std::move(names);
  seat_.call_it(names_[own_]);
}

std::uint32_t Watch::here() const {
  return static_cast<std::uint32_t>(
      std::count_if(processes_.begin(), processes_.end(),
                    [this](const Process& each) { return each.host == processes_[own_].host; }));
}

/// Longer than mpirun takes to end all.
constexpr std::chrono::seconds kPatience{10};

void Watch::look() {
  std::string lost;
  bool lower_lives = false;
  for (std::size_t process = 0; process < processes_.size() && !seat_.is_watched(); ++process) {
    const Process& each = processes_[process];
    if (process == own_ || each.host != processes_[own_].host) continue;
    const bool lives = kill(each.pid, 0) == 0 || errno != ESRCH;
    lower_lives = lower_lives || (lives && process < own_);
    if (!lives) lost += fmt::format("{}{} (pid {})", lost.empty() ? "" : ", ", names_[process], each.pid);
  }
  const int signal = InterruptNotes::signal();
  if (lost.empty() && signal == 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (!noticed_) noticed_ = now;
  if (lower_lives && now - *noticed_ < kPatience) return;
  const std::string reached = format_time(seat_.reached_ps());
  if (lost.empty())
    throw Interrupted(signal,
                      fmt::format("ended by {} at {} of simulated time", signal_name(signal), reached));
  throw std::runtime_error(
      fmt::format("{} ended by itself; {} of simulated time had been reached", lost, reached));
}

}  // namespace wafertlm
