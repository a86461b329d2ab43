// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/sampled/sampling.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kWindow = 12;       // transfers that are measured in an audit
constexpr std::uint64_t kAuditEvery = 120;  // transfers that are played between two, in the mean,
constexpr std::uint64_t kLaterEvery = 600;  // and when there have been
constexpr std::uint64_t kEnoughAudits = 8;  // to tell the error of what is played from them
constexpr std::uint64_t kPatience = 60;     // transfers that are measured for one of a class
constexpr double kMostTolerance = 0.2;      // of a class's mean, however little of the time it takes
constexpr double kUnknownWrong = 0.05;      // of the time of an uncertain one that has nothing like it
constexpr double kUnseen = 0.0015;          // of what is played: what audits may not have come across
constexpr double kMostWrong = 0.005;        // of all time: beyond that audits end the run,
constexpr double kMostWrongOnce = 0.05;     // the same of a single one,
constexpr double kSure = 3.3;               // so many standard errors (99.9 %) from it

std::string wrong_text(const char* found_by, double deviation, double error, TimePs now) {
  return say("run.acceleration: sampled: at ", now, " ps ", found_by, " found transfers that take ",
             100 * std::abs(deviation), " % ", deviation < 0 ? "less" : "more",
             " time than those recorded before (± ", 100 * kSure * error,
             " %), which is too much for this job; simulate all of it: run.acceleration: exact");
}

}  // namespace

struct Sampling::Transfer {
  struct Part {
    SampledEndpoint* endpoint = nullptr;
    std::uint64_t number = 0;
    NpuId at{};
    TimePs end_ps = 0;
  };
  TransferId id;
  TransferLine* line;
  std::vector<Part> parts;  // by place
  std::size_t column;       // in Shares
  std::size_t entered = 0, ended = 0;
  bool is_held = false;  // parts wait until all have entered
  bool is_complete = false;
  TimePs first_ps = kNever;  // entry
  // From then on:
  TransferClass* of = nullptr;
  TimePs complete_ps = 0;
  std::uint64_t number = 0;
  bool was_known = false, is_unknown = false, is_played = false;
  bool is_late = false;           // a receive came behind its send
  std::vector<TimePs> played_ps;  // when parts end
};

Sampling::Sampling(std::uint32_t npus, std::uint32_t endpoints, std::uint64_t seed, double target)
    : npus_(npus),
      target_(target),
      random_(seed),
      busy_ps_(endpoints),
      shares_(endpoints, std::vector<Shares>(1)) {
  plan_audit();
}

Sampling::~Sampling() = default;

/// Of a broadcast the root does not wait for others, of a reduction the others do not. Of a stream through an
/// I/O controller that one enters last.
bool Sampling::may_end_early(const TransferPart& part) const {
  if (part.kind != TransferPart::Kind::collective || !has_root(part.program->type)) return false;
  return index_of(part.program->group[part.program->root]) < npus_;
}

Sampling::Transfer& Sampling::transfer_of(const TransferPart& part, TimePs now) {
  using Kind = TransferPart::Kind;
  const auto at = static_cast<std::uint64_t>(part.at), peer = static_cast<std::uint64_t>(part.peer);
  const bool is_receive = part.kind == Kind::receive;
  const std::uint64_t from = is_receive ? peer : at, to = is_receive ? at : peer;
  const Kind kind = is_receive ? Kind::send : part.kind;
  TransferId id{kind, part.id, 0, 0};
  LineId line_id{kind, part.program, 0, 0, 0, part.traffic_class};
  TrafficKind traffic{kind, CollectiveType{}, part.traffic_class};
  std::size_t parts = 1, column = index_of(part.traffic_class);
  if (part.kind == Kind::collective) {
    parts = part.program->group.size();
    std::get<CollectiveType>(traffic) = part.program->type;
  } else if (part.is_message()) {
    id = {kind, from, to, part.tag};
    line_id = {kind, nullptr, from, to, part.bytes, part.traffic_class};
    parts = 2;
  } else {
    id = {kind, at, next_number_, 0};
    line_id = {kind, nullptr, at, 0, part.bytes, ClassId{}};
    column = kMemory;
  }
  std::unique_ptr<Transfer>& transfer = transfers_[id];
  if (!transfer) {
    const auto [known, is_new] = lines_.try_emplace(line_id, TransferLine{traffic, {}});
    TransferLine& line = known->second;
    if (is_new) line.is_loose = may_end_early(part);
    transfer = std::make_unique<Transfer>();
    transfer->id = id;
    transfer->line = &line;
    transfer->parts.resize(parts);
    transfer->column = column;
    transfer->is_held = is_playing() && !line.is_loose && line.may_be_known(tolerance(now));
  }
  return *transfer;
}

void Sampling::begin(const TransferPart& part, SampledEndpoint& endpoint, std::uint64_t number, TimePs now) {
  Transfer& transfer = transfer_of(part, now);
  const std::size_t place = part.kind == TransferPart::Kind::collective ? part.rank
                            : part.kind == TransferPart::Kind::receive  ? 1
                                                                        : 0;
  transfer.parts[place] = {&endpoint, number, part.at, 0};
  places_.emplace(number, Place{&transfer, place});
  ++transfer.entered;
  transfer.first_ps = std::min(transfer.first_ps, now);
  transfer.is_late |= transfer.is_complete;
  if (transfer.is_played) return end_played(transfer, place, now);
  if (!transfer.is_held) endpoint.pass_on(number);
  const bool is_last = part.is_message() ? place == 0 : transfer.entered == transfer.parts.size();
  if (is_last) all_entered(transfer, now);
}

void Sampling::all_entered(Transfer& transfer, TimePs now) {
  TrafficKinds beside;
  for (const auto& [kind, count] : active_)
    if (kind != transfer.line->kind) beside.insert(kind);
  transfer.is_complete = true;
  transfer.complete_ps = now;
  transfer.number = take_number();
  transfer.of = &transfer.line->classes[beside];
  const bool may_be_known = !transfer.line->is_loose;
  transfer.was_known = may_be_known && transfer.of->is_known(tolerance(now));
  ++active_[transfer.line->kind];
  if (transfer.is_held && transfer.was_known && is_playing()) return play(transfer, now);
  if (!transfer.is_held && played_active_ == 0) measured_.emplace(transfer.number, &transfer);
  if (!transfer.was_known && may_be_known) {
    // Beside what is played it does not show its time: the next ones shall.
    if ((played_active_ != 0 || transfer.is_held) && !wanted_ && transfer.of->is_wanted()) {
      wanted_ = transfer.of;
      wanted_for_ = kPatience;
    }
    ++unknown_active_;
    transfer.is_unknown = true;
  }
  if (!transfer.is_held) return;
  transfer.is_held = false;
  for (const Transfer::Part& part : transfer.parts)
    if (part.endpoint) part.endpoint->pass_on(part.number);
}

void Sampling::play(Transfer& transfer, TimePs now) {
  transfer.is_played = true;
  transfer.played_ps = transfer.of->any_recording(now - transfer.first_ps, random_);
  measured_.clear();
  ++played_active_;
  ++counts_.played;
  const MeanEstimate& time = transfer.of->time();
  played_ps_ += time.mean();
  played_within_ps_ += time.half_width();
  if (std::get<TransferPart::Kind>(transfer.id) == TransferPart::Kind::collective) {
    const auto n = static_cast<double>(time.count());
    collective_half_widths_[std::get<1>(transfer.id)] =
        time.half_width() * std::sqrt(n + 1) + kUnseen * time.mean();
  }
  for (std::size_t place = 0; place < transfer.parts.size(); ++place)
    if (transfer.parts[place].endpoint) end_played(transfer, place, now);
  if (--until_audit_ != 0) return;
  is_auditing_ = true;
  to_measure_ = kWindow;
}

void Sampling::end_played(Transfer& transfer, std::size_t place, TimePs now) {
  const Transfer::Part& part = transfer.parts[place];
  Share& share = share_of(transfer, place);
  share.played += static_cast<double>(transfer.played_ps[place]);
  // That the one which was chosen is not the one which would have come: both vary.
  share.variance += 2 * transfer.of->time().variance();
  part.endpoint->end_at(part.number, std::max(now, transfer.complete_ps + transfer.played_ps[place]));
}

Sampling::Share& Sampling::share_of(const Transfer& transfer, std::size_t place) {
  return shares_[index_of(transfer.parts[place].at)].back()[transfer.column];
}

void Sampling::ended(std::uint64_t number, TimePs now) {
  const auto found = places_.find(number);
  const auto [transfer, place] = found->second;
  places_.erase(found);
  transfer->parts[place].end_ps = now;
  if (!transfer->is_complete) transfer->line->is_loose = true;
  if (++transfer->ended == transfer->parts.size()) finish(*transfer);
}

void Sampling::finish(Transfer& transfer) {
  const auto active = active_.find(transfer.line->kind);
  if (--active->second == 0) active_.erase(active);
  TimePs last_ps = transfer.complete_ps;
  for (const Transfer::Part& part : transfer.parts) {
    last_ps = std::max(last_ps, part.end_ps);
    if (part.end_ps < transfer.complete_ps) continue;
    double& busy_ps = busy_ps_[index_of(part.at)];
    busy_ps += static_cast<double>(part.end_ps - transfer.complete_ps);
    busiest_ps_ = std::max(busiest_ps_, busy_ps);
  }
  if (transfer.is_played)
    --played_active_;
  else
    add_simulated(transfer, last_ps - transfer.complete_ps);
  transfers_.erase(TransferId(transfer.id));
}

void Sampling::add_simulated(Transfer& transfer, TimePs time_ps) {
  ++counts_.simulated;
  const TransferLine& line = *transfer.line;
  unknown_active_ -= transfer.is_unknown;
  const bool is_measured = measured_.erase(transfer.number) != 0;
  if (is_measured) {
    if (line.is_loose) transfer.of->add_time(time_ps);  // never played, but what is uncertain is compared
    if (!line.is_loose && !transfer.is_late) add_measured(transfer, time_ps);
    return;
  }
  ++counts_.uncertain;
  // A message that waited for its receive was there before.
  if (transfer.is_late) time_ps = transfer.parts.front().end_ps - transfer.complete_ps;
  const double time = static_cast<double>(time_ps), mean = transfer.of->time().mean();
  const double wrong = transfer.of->time().count() == 0 ? kUnknownWrong * time : std::abs(time - mean);
  for (std::size_t place = 0; place < transfer.parts.size(); ++place)
    share_of(transfer, place).uncertain += wrong;
}

void Sampling::add_measured(Transfer& transfer, TimePs time_ps) {
  if (is_auditing_ && transfer.was_known) {
    const MeanEstimate& expected = transfer.of->time();
    audit_expected_ += expected.mean();
    audit_variance_ += expected.variance() * (1 + 1 / static_cast<double>(expected.count()));
    audit_found_ += static_cast<double>(time_ps);
  }
  std::vector<TimePs> ends;
  for (const Transfer::Part& part : transfer.parts) ends.push_back(part.end_ps - transfer.complete_ps);
  transfer.of->add(ends, transfer.complete_ps - transfer.first_ps, random_);
  const TimePs now = transfer.complete_ps + time_ps;
  if (wanted_ && (--wanted_for_ == 0 || wanted_->is_known(tolerance(now)))) wanted_ = nullptr;
  if (to_measure_ != 0 && --to_measure_ == 0 && is_auditing_) end_audit(now);
}

void Sampling::end_audit(TimePs now) {
  is_auditing_ = false;
  const double busy = busy_part(now), expected = audit_expected_, found = audit_found_;
  const double error = std::sqrt(audit_variance_);
  audit_expected_ = audit_found_ = audit_variance_ = 0;
  if (expected > 0) {
    audits_.add(expected, found);
    if ((std::abs(found - expected) - kSure * error) * busy > kMostWrongOnce * expected)
      throw std::runtime_error(wrong_text("an audit", found / expected - 1, error / expected, now));
  }
  plan_audit();
  if (audits_.count() < kEnoughAudits) return;
  if ((std::abs(audits_.deviation()) - kSure * audits_.standard_error()) * busy > kMostWrong)
    throw std::runtime_error(wrong_text("the audits", audits_.deviation(), audits_.standard_error(), now));
}

/// More often as long as they are few, or tell too little.
void Sampling::plan_audit() {
  const bool is_early = audits_.count() < kEnoughAudits || relative_half_width() > kMostWrong / 2;
  until_audit_ = 1 + random_() % (2 * (is_early ? kAuditEvery : kLaterEvery));
}

/// Transfers' part of the time, at the endpoint where it is most; above 1 if they overlap.
double Sampling::busy_part(TimePs now) const { return now == 0 ? 0 : busiest_ps_ / static_cast<double>(now); }

/// Of a class's mean: the less of the time transfers take, the less their times must be known.
double Sampling::tolerance(TimePs now) const {
  const double busy = busy_part(now);
  return busy == 0 ? kMostTolerance : std::clamp(target_ / busy, target_, kMostTolerance);
}

SampledCounts Sampling::counts() const {
  SampledCounts counts = counts_;
  for (const auto& [id, line] : lines_) counts.classes += line.classes.size();
  counts.audits = audits_.count();
  counts.audited_deviation = audits_.deviation();
  return counts;
}

Sampling::Shares Sampling::shares(NpuId at, std::size_t period) const {
  const std::vector<Shares>& periods = shares_[index_of(at)];
  return period < periods.size() ? periods[period] : Shares{};
}

double Sampling::relative_half_width() const {
  if (played_ps_ == 0) return 0;
  const double deviation = std::abs(audits_.deviation());
  if (audits_.count() < kEnoughAudits) return played_within_ps_ / played_ps_ + deviation + kUnseen;
  return deviation + student_t_95(audits_.count() - 1) * audits_.standard_error() + kUnseen;
}

double Sampling::half_width_ps(const Share& share) const {
  return share.played * relative_half_width() + student_t_95(~std::uint64_t{0}) * std::sqrt(share.variance) +
         share.uncertain;
}

double Sampling::collective_half_width_ps(std::uint64_t id) const {
  const auto found = collective_half_widths_.find(id);
  return found == collective_half_widths_.end() ? 0 : found->second;
}

}  // namespace wafertlm
