// SPDX-License-Identifier: Apache-2.0
#include "platform/run/entry_news.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

namespace wafertlm {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

}  // namespace

std::vector<std::uint32_t> wafers_of_ranks(const Placement& npus, const Wafers& wafers) {
  std::vector<std::uint32_t> wafer_of;
  for (const NpuId npu : npus) wafer_of.push_back(wafers.of_npu[index_of(npu)]);
  return wafer_of;
}

EntryNews::EntryNews(const chakra::CommGroups& groups, const Wafers& wafers,
                     std::vector<std::uint32_t> wafer_of, std::optional<Part> part, Scheduler& scheduler,
                     Awaited awaited)
    : groups_(groups),
      delay_ps_(wafers.lookahead_ps),
      wafer_of_(std::move(wafer_of)),
      part_(std::move(part)),
      scheduler_(scheduler),
      awaited_(std::move(awaited)) {}

const EntryNews::Members& EntryNews::members_of(std::uint32_t group) {
  const auto [found, is_new] = members_.try_emplace(group);
  if (is_new)
    for (const std::uint32_t rank : groups_.ranks(groups_.name(group)))
      found->second[wafer_of_[rank]].push_back(rank);
  return found->second;
}

void EntryNews::entered(std::uint32_t rank, std::uint32_t group, std::uint64_t number, TimePs now) {
  forget(now);
  const Members& members = members_of(group);
  const std::uint32_t wafer = wafer_of_[rank];
  const Collective collective{group, number};
  View& view = views_[{wafer, collective}];
  const std::size_t own = members.at(wafer).size();
  const std::uint32_t entered = ++view.entered;
  if (entered == own) view.complete_ps[wafer] = now;
  if (members.size() > 1) {
    const News news{now + delay_ps_, number, group, wafer, false};
    if (entered == 1) tell_others(news);
    if (entered == own) tell_others({news.at_ps, number, group, wafer, true});
  }
  if (view.complete_ps.size() == members.size()) known_to_all_.push_back({now, {wafer, collective}});
  if (!view.is_open) open(wafer, collective, now, rank);
}

/// For the first time.
void EntryNews::open(std::uint32_t wafer, const Collective& collective, TimePs now, std::uint32_t but_for) {
  views_[{wafer, collective}].is_open = true;
  for (const std::uint32_t rank : members_of(collective.first).at(wafer))
    if (rank != but_for) awaited_(rank, collective.first, collective.second, now);
}

void EntryNews::tell_others(const News& news) {
  bool is_for_here = false;
  std::set<std::uint32_t> processes;
  for (const auto& [wafer, ranks] : members_of(news.group)) {
    if (wafer == news.from) continue;
    if (is_here(wafer))
      is_for_here = true;
    else
      processes.insert(part_->process_of[wafer]);
  }
  for (const std::uint32_t process : processes) out_[process].put(news);
  if (!processes.empty()) earliest_ps_ = std::min(earliest_ps_, news.at_ps);
  if (is_for_here) learn(news);
}

/// It comes at its time, together with all others of that time, in an order of its own.
void EntryNews::learn(const News& news) {
  const auto [found, is_new] = coming_.try_emplace(news.at_ps);
  found->second.push_back(news);
  if (is_new) scheduler_.schedule(news.at_ps, *this, 0, Turn::operations);
}

void EntryNews::deliver(const std::vector<std::byte>& batch) {
  for (ByteReader from(batch); !from.at_end();) {
    const News news = from.get<News>();
    if (news.at_ps < scheduler_.now())
      throw std::logic_error("news for " + std::to_string(news.at_ps) + " ps came from another process at " +
                             std::to_string(scheduler_.now()) + " ps: before the bound of its window");
    learn(news);
  }
}

void EntryNews::wake(std::uint32_t, TimePs now) {
  std::vector<News> all = coming_.extract(now).mapped();
  std::sort(all.begin(), all.end());
  for (const News& news : all) {
    const Members& members = members_of(news.group);
    const Collective collective{news.group, news.number};
    for (const auto& [wafer, ranks] : members) {
      if (wafer == news.from || !is_here(wafer)) continue;
      View& view = views_[{wafer, collective}];
      if (news.is_complete) {
        view.complete_ps[news.from] = now;
        if (view.complete_ps.size() == members.size()) known_to_all_.push_back({now, {wafer, collective}});
      } else if (!view.is_open) {
        open(wafer, collective, now, kNobody);
      }
    }
  }
}

bool EntryNews::gathers(std::uint32_t rank, std::uint32_t group, std::uint64_t number, TimePs now) const {
  const auto view = views_.find({wafer_of_[rank], {group, number}});
  if (view == views_.end()) return false;
  const auto& complete = view->second.complete_ps;
  return complete.size() < members_.at(group).size() ||
         std::any_of(complete.begin(), complete.end(), [now](const auto& of) { return of.second == now; });
}

void EntryNews::forget(TimePs now) {
  for (; !known_to_all_.empty() && known_to_all_.front().first < now; known_to_all_.pop_front())
    views_.erase(known_to_all_.front().second);
}

}  // namespace wafertlm
