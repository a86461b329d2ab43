// SPDX-License-Identifier: Apache-2.0
#include "platform/report/usage.h"

#include <algorithm>
#include <cmath>

#include "platform/machine/wafer.h"
#include "tlm/remote/crossing.h"

namespace wafertlm {

Usage::Usage(const Machine& machine)
    : places_(machine_links(machine)),
      links_(machine_links(machine).size()),
      memories_(2 * std::size_t{machine.wafer().npus()}),
      recent_(links_.series()),
      of_episode_(links_.series()) {}

void Usage::Recent::add(TimePs start_ps, TimePs end_ps) {
  last_end_ps = end_ps - shift_ps;
  if (!stretches.empty() && stretches.back().second == start_ps - shift_ps) {
    stretches.back().second = last_end_ps;
    return;
  }
  constexpr std::ptrdiff_t kMost = 128;  // of a period that is longer than a bucket
  if (stretches.size() == kMost) stretches.erase(stretches.begin(), stretches.begin() + kMost / 2);
  stretches.emplace_back(start_ps - shift_ps, last_end_ps);
}

std::vector<std::pair<TimePs, TimePs>> Usage::Recent::period(TimePs end_ps, TimePs period_ps) const {
  std::vector<std::pair<TimePs, TimePs>> found;
  const TimePs begin_ps = end_ps - period_ps;
  if (stretches.empty() || stretches.front().first + shift_ps > begin_ps) return found;
  for (const auto& [start, end] : stretches)
    if (end + shift_ps > begin_ps)
      found.emplace_back(std::max(start + shift_ps, begin_ps) - begin_ps, end + shift_ps - begin_ps);
  return found;
}

void Usage::sent(std::size_t observed, PortId output, const Packet&, TimePs start_ps, TimePs end_ps) {
  const std::size_t link = places_.of(observed, output);
  if (link == LinkPlaces::kNone) return;
  const auto busy_ps = static_cast<double>(end_ps - start_ps);
  links_.add(link, start_ps, end_ps, busy_ps);
  if (has_episodes_) of_episode_.add(link, start_ps - episode_ps_, end_ps - episode_ps_, busy_ps);
  recent_[link].add(start_ps, end_ps);
}

/// What was sent last may still be on the line when the period ends, as in the period before: periods are
/// those up to then.
void Usage::repeated(std::size_t observed, PortId output, const LinkRepeat& repeat) {
  const std::size_t link = places_.of(observed, output);
  if (link == LinkPlaces::kNone) return;
  Recent& recent = recent_[link];
  const TimePs end_ps = std::max(repeat.until_ps, recent.last_end_ps + recent.shift_ps);
  this->repeat(links_, 0, link, end_ps, repeat);
  if (has_episodes_) this->repeat(of_episode_, episode_ps_, link, end_ps, repeat);
  recent.shift_ps += static_cast<TimePs>(repeat.periods) * repeat.period_ps;  // modulo 2^64
}

/// A period that is shorter than a bucket is spread evenly.
void Usage::repeat(TimeBuckets& into, TimePs begun_ps, std::size_t link, TimePs end_ps,
                   const LinkRepeat& repeat) const {
  const bool goes_back = repeat.periods < 0;
  const auto count = static_cast<TimePs>(goes_back ? -repeat.periods : repeat.periods);
  const TimePs from_ps = end_ps - (goes_back ? count * repeat.period_ps : 0) - begun_ps;
  const TimePs to_ps = from_ps + count * repeat.period_ps;
  into.reach(to_ps);
  std::vector<std::pair<TimePs, TimePs>> period;
  if (repeat.period_ps > into.width_ps()) period = recent_[link].period(end_ps, repeat.period_ps);
  if (period.empty()) return into.add(link, from_ps, to_ps, repeat.busy_ps);
  double sum = 0;
  for (const auto& [start, end] : period) sum += static_cast<double>(end - start);
  const double scale = repeat.busy_ps / (sum * static_cast<double>(count));
  for (TimePs at = from_ps; at < to_ps; at += repeat.period_ps)
    for (const auto& [start, end] : period)
      into.add(link, at + start, at + end, scale * static_cast<double>(end - start));
}

void Usage::begins(TimePs start_ps) {
  has_episodes_ = true;
  episode_ps_ = start_ps;
  of_episode_.clear(links_.width_ps());
}

std::shared_ptr<const EpisodeSight> Usage::seen() {
  auto sight = std::make_shared<Sight>();
  const TimePs width = of_episode_.width_ps();
  for (std::size_t link = 0; link < of_episode_.series(); ++link) {
    const std::vector<double>& sums = of_episode_.sums(link);
    const TimePs last_ps = recent_[link].last_end_ps + recent_[link].shift_ps;
    const TimePs end_ps = last_ps - std::min(last_ps, episode_ps_);
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (sums[i] > 0)
        sight->shares.push_back(
            {link, i * width, std::clamp(end_ps, i * width + 1, (i + 1) * width), sums[i]});
  }
  sight->shares.shrink_to_fit();
  return sight;
}

void Usage::repeated(const EpisodeSight& sight, TimePs start_ps) {
  for (const Sight::Share& share : static_cast<const Sight&>(sight).shares)
    links_.add(share.link, start_ps + share.from_ps, start_ps + share.to_ps, share.busy_ps);
}

void Usage::moved(std::size_t observed, bool write, std::uint64_t bytes, TimePs start_ps, TimePs end_ps) {
  memories_.add(2 * observed + (write ? 1 : 0), start_ps, end_ps, static_cast<double>(bytes));
}

std::vector<std::byte> Usage::pack() const {
  ByteWriter writer;
  for (const TimeBuckets* const buckets : {&links_, &memories_}) {
    writer.put(buckets->width_ps());
    for (std::size_t series = 0; series < buckets->series(); ++series) {
      writer.put(std::uint64_t{buckets->sums(series).size()});
      for (const double sum : buckets->sums(series)) writer.put(sum);
    }
  }
  return writer.take();
}

void Usage::add(const std::vector<std::byte>& packed) {
  ByteReader reader(packed);
  for (TimeBuckets* const buckets : {&links_, &memories_}) {
    TimeBuckets part(buckets->series());
    part.clear(reader.get<TimePs>());
    for (std::size_t series = 0; series < part.series(); ++series) {
      std::vector<double> sums(reader.get<std::uint64_t>());
      for (double& sum : sums) sum = reader.get<double>();
      part.set(series, std::move(sums));
    }
    buckets->add(part);
  }
}

nlohmann::ordered_json Usage::links_json(TimePs end_ps) const {
  const TimePs width = links_.width_ps();
  nlohmann::ordered_json busy = nlohmann::ordered_json::array();
  for (std::size_t link = 0; link < links_.series(); ++link) {
    auto row = nlohmann::ordered_json::array();
    const std::vector<double>& sums = links_.sums(link);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      // The last bucket ends with the run.
      const TimePs part = std::min(width, std::max<TimePs>(end_ps, i * width + 1) - i * width);
      row.push_back(std::llround(std::min(1.0, sums[i] / static_cast<double>(part)) * 1e4));
    }
    busy.push_back(std::move(row));
  }
  return {{"bucket_ps", width}, {"busy", std::move(busy)}};
}

nlohmann::ordered_json Usage::memories_json() const {
  nlohmann::ordered_json read = nlohmann::ordered_json::array(), written = read;
  for (std::size_t series = 0; series < memories_.series(); ++series) {
    auto row = nlohmann::ordered_json::array();
    for (const double bytes : memories_.sums(series)) row.push_back(std::llround(bytes));
    (series % 2 == 0 ? read : written).push_back(std::move(row));
  }
  return {{"bucket_ps", memories_.width_ps()}, {"read", std::move(read)}, {"written", std::move(written)}};
}

}  // namespace wafertlm
