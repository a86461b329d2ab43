// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/sweep/slurm.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "platform/host/shell.h"

namespace wafertlm {
namespace {

constexpr std::chrono::seconds kPatience{60};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text;
}

}  // namespace

std::vector<Slurm::Job> Slurm::jobs_named(const std::string& name) {
  const Answer answer =
      ask_shell("squeue --noheader --me --name " + shell_quoted(name) + " --format '%i|%F|%T|%r'");
  const auto now = std::chrono::steady_clock::now();
  if (answer.exit_code != 0) {
    if (now - answered_ > kPatience)
      throw std::runtime_error("squeue: " + trimmed(answer.text) +
                               "; what was submitted goes on, the same command collects what it does");
    return {{"", "", "UNKNOWN", ""}};
  }
  answered_ = now;
  std::vector<Job> jobs;
  for (const std::string& line : split(answer.text, '\n')) {
    const std::vector<std::string> fields = split(line, '|');
    if (fields.size() != 4) continue;
    jobs.push_back({fields[0], fields[1], fields[2], fields[3]});
  }
  return jobs;
}

bool Slurm::is_cancelled(const std::string& job) const {
  const Answer answer = ask_shell("squeue --noheader --states CANCELLED --jobs " + shell_quoted(job));
  return answer.exit_code == 0 && !trimmed(answer.text).empty();
}

std::string Slurm::submit(const std::string& options) const {
  const Answer answer = ask_shell("sbatch --parsable " + options);
  if (answer.exit_code == 0)
    for (const std::string& line : split(answer.text, '\n')) {
      const std::string id = split(line + ";", ';').front();
      if (!id.empty() && id.find_first_not_of("0123456789") == std::string::npos) return id;
    }
  throw std::runtime_error("sbatch " + options + ": " + trimmed(answer.text));
}

void Slurm::start_now(const std::string& job) const {
  ask_shell("scontrol update jobid=" + shell_quoted(job) + " StartTime=now");
}

std::size_t Slurm::setting(const std::string& name, std::size_t otherwise) const {
  for (const std::string& line : split(ask_shell("scontrol show config").text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos || trimmed(line.substr(0, equals)) != name) continue;
    const unsigned long value = std::strtoul(line.c_str() + equals + 1, nullptr, 10);
    if (value > 0) return value;
  }
  return otherwise;
}

std::size_t Slurm::cpus() const {
  // allocated/idle/other/all, by partition: a node may be in several.
  std::size_t most = 0;
  for (const std::string& line : split(ask_shell("sinfo --noheader --format %C").text, '\n')) {
    const std::vector<std::string> counts = split(line, '/');
    if (counts.size() != 4) continue;
    most = std::max<std::size_t>(
        most, std::strtoul(counts[0].c_str(), nullptr, 10) + std::strtoul(counts[1].c_str(), nullptr, 10));
  }
  return most;
}

}  // namespace wafertlm
