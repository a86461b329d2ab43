// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/scoreboard.h"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace wafertlm {
namespace {

std::string hex_of(const std::vector<std::byte>& data, std::size_t from) {
  std::ostringstream text;
  text << std::hex << std::setfill('0');
  for (std::size_t i = from; i < std::min(from + 8, data.size()); ++i)
    text << (i == from ? "" : " ") << std::setw(2) << std::to_integer<unsigned>(data[i]);
  return text.str();
}

std::string at_byte(const RtlTransaction& side, std::size_t byte) {
  return std::to_string(side.data.size()) + " bytes, at byte " + std::to_string(byte) + ": " +
         hex_of(side.data, byte);
}

std::string head_at(const RtlTransaction& side, TimePs arrival_ps) {
  return "head at " + std::to_string(side.head_ps) + " ps (" + std::to_string(side.head_ps - arrival_ps) +
         " ps after it came)";
}
std::string head_at(const RtlTransaction& side) { return head_at(side, side.arrival_ps); }

std::string tail_at(const RtlTransaction& side) {
  return "tail at " + std::to_string(side.tail_ps) + " ps (" + std::to_string(side.tail_ps - side.head_ps) +
         " ps after the head)";
}

std::string signed_ps(std::int64_t difference_ps) {
  return (difference_ps > 0 ? "+" : "") + std::to_string(difference_ps) + " ps";
}

std::string cycles_text(std::uint32_t cycles) {
  return std::to_string(cycles) + (cycles == 1 ? " cycle" : " cycles");
}

void keep_largest(std::int64_t& largest_ps, std::int64_t difference_ps) {
  if (std::abs(difference_ps) > std::abs(largest_ps)) largest_ps = difference_ps;
}

}  // namespace

const char* to_string(RtlDivergenceKind kind) {
  static constexpr const char* kNames[] = {"data", "time", "missing", "unexpected", "protocol"};
  return kNames[static_cast<std::size_t>(kind)];
}

void RtlScoreboard::add(RtlTransaction transaction, bool is_model) {
  count(is_model ? model_ : rtl_, transaction);
  const Key key{transaction.flow, transaction.sequence, transaction.output};
  const TimePs now = transaction.head_ps;
  auto& own = is_model ? from_model_ : from_rtl_;
  auto& other = is_model ? from_rtl_ : from_model_;
  if (const auto found = other.find(key); found != other.end()) {
    if (is_model)
      compare(transaction, found->second);
    else
      compare(found->second, transaction);
    due_.erase({found->second.head_ps, key});
    other.erase(found);
  } else if (!is_model && given_up_.erase(key) != 0) {
    // It came after all, and is counted as missing already.
  } else {
    const auto [place, is_new] = own.emplace(key, std::move(transaction));
    if (!is_new) {
      diverge({RtlDivergenceKind::unexpected, now, place->second.flow, place->second.sequence,
               place->second.output, "once", is_model ? "twice from the model" : "twice"});
    } else if (is_model && options_.patience_ps != kNever) {
      due_[{now, key}] = 0;
    }
  }
  if (options_.patience_ps != kNever && now > options_.patience_ps) give_up_on(now - options_.patience_ps);
}

void RtlScoreboard::count(Side& side, const RtlTransaction& transaction) const {
  side.first_ps = std::min(side.first_ps, transaction.head_ps);
  side.last_ps = std::max(side.last_ps, transaction.head_ps);
  if (side.packets % options_.window_packets == 0) {
    if (side.packets != 0 && transaction.head_ps > side.window_start_ps)
      side.rates.push_back(static_cast<double>(side.window_bytes) /
                           static_cast<double>(transaction.head_ps - side.window_start_ps));
    side.window_start_ps = transaction.head_ps;
    side.window_bytes = 0;
  }
  ++side.packets;
  side.bytes += transaction.bytes;
  side.window_bytes += transaction.bytes;
}

void RtlScoreboard::compare(const RtlTransaction& model, const RtlTransaction& rtl) {
  ++compared_;
  model_latency_ps_ += static_cast<double>(model.head_ps) - static_cast<double>(model.arrival_ps);
  // Both came to the switch at the same time.
  rtl_latency_ps_ += static_cast<double>(rtl.head_ps) - static_cast<double>(model.arrival_ps);
  const auto difference_ps = static_cast<std::int64_t>(rtl.head_ps - model.head_ps);
  const auto cycles =
      std::llround(static_cast<double>(difference_ps) / static_cast<double>(options_.cycle_ps));
  ++histogram_[cycles];
  keep_largest(largest_head_ps_, difference_ps);
  const bool has_tails = model.tail_ps != kNever && rtl.tail_ps != kNever;
  const auto tails_ps = has_tails ? static_cast<std::int64_t>(rtl.tail_ps - model.tail_ps) : 0;
  keep_largest(largest_tail_ps_, tails_ps);

  if (model.bytes != rtl.bytes) {
    diverge(RtlDivergenceKind::data, model, std::to_string(model.bytes) + " bytes",
            std::to_string(rtl.bytes) + " bytes");
  } else if (!model.data.empty() && !rtl.data.empty()) {
    ++compared_data_;
    const auto [in_model, in_rtl] =
        std::mismatch(model.data.begin(), model.data.end(), rtl.data.begin(), rtl.data.end());
    if (in_model != model.data.end() || in_rtl != rtl.data.end()) {
      const auto byte = static_cast<std::size_t>(in_model - model.data.begin());
      diverge(RtlDivergenceKind::data, model, at_byte(model, byte), at_byte(rtl, byte));
    }
  }
  if (!options_.tolerance) return;
  const auto limit_ps = static_cast<std::int64_t>(*options_.tolerance * options_.cycle_ps);
  const bool is_head = std::abs(difference_ps) > limit_ps;
  if (!is_head && std::abs(tails_ps) <= limit_ps) return;
  diverge(RtlDivergenceKind::time, model,
          (is_head ? head_at(model) : tail_at(model)) + " within " + cycles_text(*options_.tolerance),
          (is_head ? head_at(rtl, model.arrival_ps) : tail_at(rtl)) + ", " +
              signed_ps(is_head ? difference_ps : tails_ps));
}

void RtlScoreboard::give_up_on(TimePs before_ps) {
  while (!due_.empty() && due_.begin()->first.first < before_ps) {
    const Key key = due_.begin()->first.second;
    due_.erase(due_.begin());
    const auto found = from_model_.find(key);
    const RtlTransaction& model = found->second;
    diverge(RtlDivergenceKind::missing, model, head_at(model), "nothing");
    given_up_[key] = 0;
    from_model_.erase(found);
  }
}

void RtlScoreboard::finish() {
  for (const auto& [key, model] : from_model_)
    diverge(RtlDivergenceKind::missing, model, head_at(model), "nothing");
  for (const auto& [key, rtl] : from_rtl_)
    diverge(RtlDivergenceKind::unexpected, rtl, "nothing", "head at " + std::to_string(rtl.head_ps) + " ps");
  from_model_.clear();
  from_rtl_.clear();
  due_.clear();
}

void RtlScoreboard::diverge(RtlDivergence divergence) {
  ++divergences_;
  ++by_kind_[static_cast<std::size_t>(divergence.kind)];
  keep_first(first_, std::move(divergence));
}

void RtlScoreboard::keep_first(std::optional<RtlDivergence>& first, RtlDivergence other) {
  const auto order = [](const RtlDivergence& d) { return std::tie(d.at_ps, d.flow, d.sequence, d.output); };
  if (!first || order(other) < order(*first)) first = std::move(other);
}

double RtlScoreboard::bytes_per_s(const Side& side) {
  if (side.packets < 2 || side.last_ps == side.first_ps) return 0;
  return static_cast<double>(side.bytes) / static_cast<double>(side.last_ps - side.first_ps) *
         static_cast<double>(kPsPerSecond);
}

double RtlScoreboard::worst_throughput_ratio() const {
  double worst = 1;
  for (std::size_t i = 0; i < throughput_windows(); ++i)
    if (const double ratio = rtl_.rates[i] / model_.rates[i]; std::abs(ratio - 1) > std::abs(worst - 1))
      worst = ratio;
  return worst;
}

std::string RtlScoreboard::verdict(const std::vector<std::string>& differing) const {
  const std::string data = data_passed() ? "data equal" : "data DIFFER";
  if (!options_.has_model) return data + ", times not compared (no model beside it)";
  if (!options_.tolerance) return data + ", times not judged";
  const std::string limit = cycles_text(*options_.tolerance);
  if (const std::uint64_t count = divergences(RtlDivergenceKind::time); count != 0)
    return data + ", times DIFFER: " + std::to_string(count) + " of " + std::to_string(compared_) +
           " packets by more than " + limit;
  if (differing.empty()) return data + ", heads and tails within " + limit;
  std::string names;
  for (const std::string& each : differing) names += (names.empty() ? "" : ", ") + each;
  return data + ", times NOT COMPARABLE: model and RTL differ in " + names;
}

std::string to_text(const RtlDivergence& divergence, const std::string& switch_name, const RtlNames& names) {
  std::ostringstream text;
  text << to_string(divergence.kind) << " at " << divergence.at_ps << " ps, " << switch_name << ", ";
  text << (divergence.at_input ? "input " : "output ") << divergence.output;
  if (const std::string link = names.output && !divergence.at_input ? names.output(divergence.output) : "";
      !link.empty())
    text << " (" << link << ")";
  if (divergence.flow == RtlDivergence::kNoPacket) return text.str();
  if (names.packet)
    text << ": " << names.packet(divergence.flow, divergence.sequence) << " (flow " << divergence.flow
         << ", sequence " << divergence.sequence << ")";
  else
    text << ", flow " << divergence.flow << ", sequence " << divergence.sequence;
  return text.str();
}

std::string RtlScoreboard::report(const RtlNames& names, const std::vector<std::string>& differing) const {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1);
  text << "scoreboard of " << options_.switch_name << ": " << verdict(differing) << "\n";
  const auto row = [&](const char* what) -> std::ostream& {
    return text << "  " << std::left << std::setw(26) << what;
  };
  if (options_.has_model) {
    row("packets") << "TLM " << model_.packets << ", RTL " << rtl_.packets << ", compared " << compared_
                   << " (data of " << compared_data_ << ")\n";
    row("mean latency") << "TLM " << mean_model_latency_ps() << " ps, RTL " << mean_rtl_latency_ps()
                        << " ps\n";
    row("throughput") << "TLM " << model_bytes_per_s() / 1e9 << " GB/s, RTL " << rtl_bytes_per_s() / 1e9
                      << " GB/s; worst window of " << options_.window_packets << " packets "
                      << std::setprecision(4) << worst_throughput_ratio() << std::setprecision(1) << " ("
                      << throughput_windows() << " windows)\n";
    row("RTL - TLM") << "packets by cycles: ";
    std::size_t shown = 0;
    for (const auto& [cycles, packets] : histogram_) {
      if (++shown > 16) {
        text << " … " << histogram_.rbegin()->first;
        break;
      }
      text << (shown == 1 ? "" : ", ") << cycles << ": " << packets;
    }
    text << "\n";
    row("largest difference") << "heads " << largest_head_ps_ << " ps, tails " << largest_tail_ps_ << " ps\n";
  } else {
    row("packets") << rtl_.packets << ", data of " << compared_data_ << " compared with what came in\n";
    row("mean latency") << mean_rtl_latency_ps() << " ps\n";
    row("throughput") << rtl_bytes_per_s() / 1e9 << " GB/s\n";
  }
  row("divergences");
  for (std::size_t i = 0; i < std::size(by_kind_); ++i)
    text << (i == 0 ? "" : ", ") << to_string(static_cast<RtlDivergenceKind>(i)) << " " << by_kind_[i];
  text << "\n";
  if (first_) {
    row("first divergence") << to_text(*first_, options_.switch_name, names) << "\n";
    row("  expected") << first_->expected << "\n";
    row("  got") << first_->got << "\n";
  }
  return text.str();
}

}  // namespace wafertlm
