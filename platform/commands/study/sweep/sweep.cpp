// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/sweep/sweep.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include "platform/commands/study/sweep/cell_worker.h"
#include "platform/commands/study/sweep/journal.h"

namespace wafertlm {
namespace {

namespace fs = std::filesystem;

/// One above those of the plans and journals that are there.
std::uint32_t next_number(const fs::path& sweep) {
  std::uint32_t last = 0;
  for (const char* const folder : {"plans", "journal"}) {
    std::error_code error;
    for (fs::directory_iterator each(sweep / folder, error), end; !error && each != end;
         each.increment(error))
      last = std::max(last, static_cast<std::uint32_t>(
                                std::strtoul(each->path().filename().string().c_str(), nullptr, 10)));
  }
  return last + 1;
}

}  // namespace

Sweep::Sweep(SweepPlan plan, SweepOptions options, std::function<bool()> is_due, Show show)
    : plan_(std::move(plan)),
      options_(std::move(options)),
      files_(plan_.study_folder),
      is_due_(std::move(is_due)),
      show_(std::move(show)) {
  fs::create_directories(files_.sweep() / "plans");
}

SweepPlan Sweep::next_round() const {
  SweepPlan round = plan_;
  round.round = next_number(files_.sweep());
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> counts;  // failures and losses by id
  for (const Attempt& attempt : read_journals(files_.sweep() / "journal")) {
    counts[attempt.id].first += attempt.state == Attempt::State::failed;
    counts[attempt.id].second += attempt.state == Attempt::State::running;
  }
  const CellFiles::Ended ended = files_.ended();
  round.cells.clear();
  for (PlannedCell cell : plan_.cells) {
    if (ended.has(cell.id)) continue;
    if (const auto found = counts.find(cell.id); found != counts.end())
      std::tie(cell.failures, cell.losses) = found->second;
    if (cell.losses >= kMostLosses)
      give_up(files_, cell, lost_text());
    else
      round.cells.push_back(std::move(cell));
  }
  return round;
}

std::size_t Sweep::ended() const {
  const CellFiles::Ended ended = files_.ended();
  return static_cast<std::size_t>(std::count_if(plan_.cells.begin(), plan_.cells.end(),
                                                [&](const PlannedCell& cell) { return ended.has(cell.id); }));
}

std::size_t Sweep::attempts() const { return read_journals(files_.sweep() / "journal").size(); }

void Sweep::show(std::size_t running) const {
  if (is_due_()) show_(files_.ended(), running);
}

fs::path Sweep::plan_file(const SweepPlan& round) const {
  return files_.sweep() / "plans" / (std::to_string(round.round) + ".json");
}

fs::path Sweep::journal(const SweepPlan& round, const std::string& worker) {
  return CellFiles(round.study_folder).sweep() / "journal" /
         (std::to_string(round.round) + "-" + worker + ".jsonl");
}

Patience::Patience(const Sweep& sweep) : sweep_(sweep), attempts_(sweep.attempts()), ended_(sweep.ended()) {}

void Patience::require_progress(const std::string& who) {
  constexpr int kFruitless = 3;
  const std::size_t attempts = sweep_.attempts(), ended = sweep_.ended();
  fruitless_ = ended == ended_ ? fruitless_ + 1 : 0;
  if (attempts == attempts_ || fruitless_ >= kFruitless)
    throw std::runtime_error(who + "\nended before a cell did; the same command tries again");
  attempts_ = attempts;
  ended_ = ended;
}

}  // namespace wafertlm
