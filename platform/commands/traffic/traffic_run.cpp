// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/traffic/traffic_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "models/traffic/traffic_node.h"
#include "platform/commands/traffic/steady_state.h"
#include "platform/commands/traffic/traffic_report.h"
#include "platform/host/child.h"
#include "platform/machine/wafer.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/traffic/traffic_model.h"
#include "tlm/kernel/splitmix64.h"

namespace wafertlm::traffic {
namespace {

/// Collects the packets created in [begin, end), and counts what is delivered meanwhile.
class Measurement final : public TrafficSink {
 public:
  Measurement(TimePs begin_ps, TimePs end_ps, std::uint32_t nodes)
      : begin_ps_(begin_ps),
        end_ps_(end_ps),
        growth_(kMoments),
        delivered_by_source_(nodes),
        past_end_(nodes) {}

  void created(const Packet& packet) override {
    if (in_window(packet.created_ps)) {
      ++missing_;
      ++growth_[moment_of(packet.created_ps)];
    }
    if (packet.created_ps < end_ps_ || past_end_[index_of(packet.source)]) return;
    past_end_[index_of(packet.source)] = true;
    ++sources_past_end_;
  }
  void delivered(const Packet& packet, TimePs tail_ps) override {
    if (in_window(tail_ps)) {
      ++delivered_;
      ++delivered_by_source_[index_of(packet.source)];
      --growth_[moment_of(tail_ps)];
    }
    if (!in_window(packet.created_ps)) return;
    --missing_;
    arrived_.push_back({packet.created_ps, tail_ps - packet.created_ps});
  }

  /// Every packet that `senders` sources created in the window has arrived.
  bool complete(std::uint32_t senders) const { return sources_past_end_ == senders && missing_ == 0; }
  std::uint64_t packets() const { return arrived_.size(); }
  std::uint64_t delivered_in_window() const { return delivered_; }
  std::uint64_t delivered_in_window(std::uint32_t source) const { return delivered_by_source_[source]; }

  /// Fills in the latencies and whether they and the backlog have settled.
  void summarize(TrafficResult& result) {
    result.packets_measured = packets();
    result.mean_half_width_ps = std::nan("");  // too few packets to tell
    if (arrived_.empty()) return;
    std::vector<double> latencies_ps = in_order_of_creation();
    const std::vector<double> backlog = backlog_series();
    result.stable = is_steady(latencies_ps) && is_steady(backlog);
    result.backlog_growth = backlog.back();
    std::size_t first = mser5_truncation(latencies_ps);
    if (2 * first > latencies_ps.size()) first = result.stable ? latencies_ps.size() / 2 : 0;
    result.packets_left_out = first;
    if (latencies_ps.size() - first >= BatchMeans::kBatches) {
      const BatchMeans means = batch_means(latencies_ps, first);
      result.mean_ps = means.mean;
      result.mean_half_width_ps = means.half_width;
    } else {
      result.mean_ps =
          std::accumulate(latencies_ps.begin(), latencies_ps.end(), 0.0) / static_cast<double>(packets());
    }
    latencies_ps.erase(latencies_ps.begin(), latencies_ps.begin() + static_cast<std::ptrdiff_t>(first));
    std::sort(latencies_ps.begin(), latencies_ps.end());
    // Nearest rank.
    const auto percentile = [&](std::size_t percent) {
      return latencies_ps[(latencies_ps.size() * percent + 99) / 100 - 1];
    };
    result.p50_ps = percentile(50);
    result.p99_ps = percentile(99);
    result.max_ps = percentile(100);
  }

 private:
  static constexpr std::size_t kMoments = 1000;
  struct Arrived {
    TimePs created_ps, latency_ps;
  };
  bool in_window(TimePs at) const { return at >= begin_ps_ && at < end_ps_; }
  std::size_t moment_of(TimePs at) const {
    return static_cast<std::size_t>(Uint128{at - begin_ps_} * kMoments / (end_ps_ - begin_ps_));
  }
  std::vector<double> in_order_of_creation() {
    std::stable_sort(arrived_.begin(), arrived_.end(),
                     [](const Arrived& a, const Arrived& b) { return a.created_ps < b.created_ps; });
    std::vector<double> latencies_ps;
    for (const Arrived& packet : arrived_) latencies_ps.push_back(static_cast<double>(packet.latency_ps));
    return latencies_ps;
  }
  /// Packets in the sources' queues and under way, more than at the begin, at the end of each moment.
  std::vector<double> backlog_series() const {
    std::vector<double> series;
    std::int64_t backlog = 0;
    for (const std::int64_t growth : growth_) series.push_back(static_cast<double>(backlog += growth));
    return series;
  }

  TimePs begin_ps_, end_ps_;
  std::vector<Arrived> arrived_;      // of those created in the window
  std::vector<std::int64_t> growth_;  // of the backlog, by moment of the window
  std::uint64_t missing_ = 0, delivered_ = 0;
  std::vector<std::uint64_t> delivered_by_source_;
  std::vector<bool> past_end_;
  std::uint32_t sources_past_end_ = 0;
};

constexpr std::size_t kWorstLinks = 8;

void require_routes(const Fabric& fabric, const Pattern& pattern) {
  for (std::uint32_t n = 0; n < fabric.npus(); ++n)
    for (const Pattern::Choice& choice : pattern.choices(static_cast<NpuId>(n))) {
      const std::string failure = fabric.route_failure(static_cast<NpuId>(n), choice.destination);
      if (choice.weight != 0 && !failure.empty())
        throw std::invalid_argument(
            fmt::format("the pattern sends from node {} to {}, but {}; use --pattern pairs with those "
                        "that do not need it",
                        n, index_of(choice.destination), failure));
    }
}

/// One simulation of one load.
class Run {
 public:
  Run(const TrafficSetup& setup, double offered)
      : fabric_(setup.platform.wafer.fabric),
        units_(traffic_units(setup.platform.wafer)),
        wafer_(setup.platform),
        pattern_(make_pattern(setup.pattern,
                              fabric_kind(setup.platform.wafer).traffic(setup.platform.wafer).grid)),
        offered_(offered),
        senders_(count_senders()),
        packets_per_cycle_(offered / static_cast<double>(units_.packet_flits)) {
    if (!(offered > 0) || packets_per_cycle_ > 1)
      throw std::invalid_argument(fmt::format(
          "an offered load of {} flits per node and cycle is not possible; a source makes at most a packet "
          "of {} flits per cycle, so it must be above 0 and at most {}",
          offered, units_.packet_flits, units_.packet_flits));
    require_routes(wafer_.fabric(), *pattern_);
    plan_phases(setup);
    build_nodes(setup);
  }

  TrafficResult run() {
    const auto start = std::chrono::steady_clock::now();
    run_until(begin_ps_);
    const std::vector<OutputCounters> before = link_counters();
    run_until(end_ps_);
    const std::vector<OutputCounters> after = link_counters();
    const TimePs limit_ps = 3 * end_ps_;
    while (!measurement_->complete(senders_) && now_ps_ < limit_ps)
      run_until(std::min(limit_ps, now_ps_ + std::max(end_ps_ / 50, units_.cycles.begin_ps(1))));
    const bool complete = measurement_->complete(senders_);
    for (const auto& node : nodes_) node->stop();
    wafer_.scheduler.run();  // until nothing is left to do
    wafer_.require_rest();
    for (const auto& node : nodes_)
      if (node->injector().queued() != 0 || node->injector().outstanding_credits() != 0)
        throw std::logic_error(std::string(node->name()) + " is not at rest after the run");

    TrafficResult result = summary();
    result.saturated = !complete || offered_ > loads_.bound || result.accepted < offered_ * (1 - tolerance());
    result.stable = result.stable && !result.saturated;
    add_links(result, before, after);
    result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

 private:
  std::uint32_t count_senders() const {
    std::uint32_t senders = 0;
    for (std::uint32_t n = 0; n < wafer_.npus(); ++n) senders += pattern_->sends(static_cast<NpuId>(n));
    return senders;
  }

  void plan_phases(const TrafficSetup& setup) {
    TrafficOutlook ahead = outlook(setup.platform.wafer, *pattern_);
    loads_ = std::move(ahead.loads);
    zero_load_ps_ = ahead.zero_load_ps;
    const auto& links = wafer_.fabric().links();
    for (std::size_t i = 0; i < links.size(); ++i)
      if (links[i].name != loads_.links[i].link)
        throw std::logic_error("the load of link " + links[i].name + " is not known");
    const auto cycles_of = [&](std::uint64_t packets, std::uint64_t default_per_node) {
      const std::uint64_t count = packets != 0 ? packets : default_per_node * senders_;
      const double cycles = static_cast<double>(count) / (packets_per_cycle_ * senders_);
      return static_cast<std::uint64_t>(std::ceil(cycles));
    };
    // Also a light load must have filled the paths.
    begin_ps_ = std::max(units_.cycles.begin_ps(cycles_of(setup.warmup_packets, 200)),
                         static_cast<TimePs>(10 * zero_load_ps_));
    window_cycles_ = cycles_of(setup.measure_packets, 1000);
    end_ps_ = begin_ps_ + units_.cycles.begin_ps(window_cycles_);
    measurement_ = std::make_unique<Measurement>(begin_ps_, end_ps_, wafer_.npus());
  }

  void build_nodes(const TrafficSetup& setup) {
    for (std::uint32_t n = 0; n < wafer_.npus(); ++n) {
      const auto npu = static_cast<NpuId>(n);
      TrafficNodeParams node;
      node.npu = npu;
      node.payload_bytes = fabric_.format.packet_bytes;
      node.format = wafer_.fabric().format();
      node.traffic_class =
          setup.traffic_class.empty() ? ClassId{0} : wafer_.classes.find(setup.traffic_class);
      node.slots = units_.cycles;
      node.packets_per_slot = pattern_->sends(npu) ? packets_per_cycle_ : 0;
      node.credit_delay_ps = fabric_.credit_delay_ps;
      node.injection = wafer_.fabric().npu_link(npu);
      node.seed = stream_seed(setup.seed, offered_);
      nodes_.push_back(std::make_unique<TrafficNode>(("npu_" + std::to_string(n)).c_str(), node,
                                                     wafer_.classes, *pattern_, *measurement_, wafer_.packets,
                                                     wafer_.scheduler));
      wafer_.fabric().attach(npu, nodes_.back()->to_fabric, nodes_.back()->from_fabric);
    }
  }

  void run_until(TimePs at) {
    wafer_.scheduler.run(at - now_ps_);
    now_ps_ = at;
  }

  std::vector<OutputCounters> link_counters() const {
    std::vector<OutputCounters> counters;
    for (const FabricLink& link : wafer_.fabric().links()) counters.push_back(wafer_.fabric().counters(link));
    return counters;
  }

  /// What chance and the packets in flight can take from the accepted load.
  double tolerance() const {
    return std::max(0.02,
                    4 / std::sqrt(static_cast<double>(std::max<std::uint64_t>(measurement_->packets(), 1))));
  }

  TrafficResult summary() const {
    TrafficResult result;
    measurement_->summarize(result);
    const auto cycles = static_cast<double>(window_cycles_);
    const double flits_per_cycle = static_cast<double>(units_.packet_flits) / cycles;
    result.backlog_growth *= 1000 / cycles / senders_;
    result.offered = offered_;
    result.accepted = static_cast<double>(measurement_->delivered_in_window()) * flits_per_cycle / senders_;
    std::uint64_t slowest = ~std::uint64_t{0};
    for (std::uint32_t n = 0; n < wafer_.npus(); ++n)
      if (pattern_->sends(static_cast<NpuId>(n)))
        slowest = std::min(slowest, measurement_->delivered_in_window(n));
    result.accepted_slowest = static_cast<double>(slowest) * flits_per_cycle;
    result.cycle_ps = units_.cycle_ps();
    result.packet_flits = units_.packet_flits;
    result.zero_load_ps = zero_load_ps_;
    result.channel_bound = loads_.bound;
    result.bound_link = loads_.links[loads_.busiest].link;
    result.packet_hops = wafer_.fabric().packet_hops();
    result.scheduler_events = wafer_.scheduler.events();
    result.simulated_ps = static_cast<double>(sc_core::sc_time_stamp().value());
    return result;
  }

  void add_links(TrafficResult& result, const std::vector<OutputCounters>& before,
                 const std::vector<OutputCounters>& after) const {
    const auto window_ps = static_cast<double>(end_ps_ - begin_ps_);
    std::vector<LinkUse> uses;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const FabricLink& link = wafer_.fabric().links()[i];
      const double bytes_per_ps = static_cast<double>(wafer_.fabric().bytes_per_s(link)) / kPsPerSecond;
      const double full = bytes_per_ps * units_.cycle_ps() / static_cast<double>(units_.flit_bytes);
      uses.push_back(
          {link.name,
           static_cast<double>(after[i].wire_bytes - before[i].wire_bytes) / (bytes_per_ps * window_ps),
           offered_ * loads_.load(loads_.links[i]) / full,
           static_cast<double>(after[i].credit_blocked_ps - before[i].credit_blocked_ps) / window_ps});
    }
    std::stable_sort(uses.begin(), uses.end(),
                     [](const LinkUse& a, const LinkUse& b) { return a.busy_fraction > b.busy_fraction; });
    uses.resize(std::min(uses.size(), kWorstLinks));
    result.worst_links = std::move(uses);
  }

  const config::FabricSpec fabric_;
  TrafficUnits units_;
  Wafer wafer_;
  std::unique_ptr<Pattern> pattern_;
  double offered_;
  std::uint32_t senders_;
  double packets_per_cycle_;
  ChannelLoads loads_;
  double zero_load_ps_ = 0;
  std::uint64_t window_cycles_ = 0;
  TimePs begin_ps_ = 0, end_ps_ = 0, now_ps_ = 0;
  std::unique_ptr<Measurement> measurement_;
  std::deque<std::unique_ptr<TrafficNode>> nodes_;
};

}  // namespace

TrafficUnits traffic_units(const config::WaferSpec& wafer) {
  const std::uint64_t rate = fabric_kind(wafer).traffic(wafer).cycle_bytes_per_s;
  const WireFormat& format = wafer.fabric.format;
  TrafficUnits units;
  units.flit_bytes = format.flit_bytes != 0 ? format.flit_bytes : format.full_wire_bytes();
  units.packet_flits = format.full_wire_bytes() / units.flit_bytes;
  units.cycles = {units.flit_bytes, rate};
  return units;
}

TrafficOutlook outlook(const config::WaferSpec& wafer, const Pattern& pattern) {
  const FabricKind& kind = fabric_kind(wafer);
  const FabricTraits traits = kind.traits(wafer);
  const TrafficModel model = kind.traffic(wafer);
  return {model.loads(pattern), zero_load_ps(*traits.topology, traits.format, model, pattern)};
}

double zero_load_ps(const Topology& topology, const WireFormat& format, const TrafficModel& model,
                    const Pattern& pattern) {
  const std::uint64_t bytes = format.full_wire_bytes();
  const auto latency_ps = [&](NpuId from, NpuId to) {
    if (from == to && model.to_itself) {
      const TopologyLink way = model.to_itself(from);
      return way.head_ps + transfer_time_ps(bytes, way.bytes_per_s);
    }
    const std::uint64_t path = topology.path_bytes_per_s(from, to);
    const std::uint64_t rate =
        model.packet_bytes_per_s == 0 ? path : std::min(path, model.packet_bytes_per_s);
    return topology.head_latency_ps(from, to) + transfer_time_ps(bytes, rate);
  };
  double sum = 0, weights = 0;
  for (std::uint32_t n = 0; n < topology.npus(); ++n) {
    const auto from = static_cast<NpuId>(n);
    for (const Pattern::Choice& choice : pattern.choices(from)) {
      sum += static_cast<double>(latency_ps(from, choice.destination)) * static_cast<double>(choice.weight);
      weights += static_cast<double>(choice.weight);
    }
  }
  return sum / weights;
}

std::uint64_t stream_seed(std::uint64_t seed, double offered) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &offered, sizeof bits);
  return splitmix64::mixed(seed + splitmix64::mixed(bits));
}

TrafficResult run_traffic(const TrafficSetup& setup, double offered) { return Run(setup, offered).run(); }

std::vector<TrafficResult> run_sweep(const TrafficSetup& setup, const std::vector<double>& loads,
                                     unsigned jobs, const std::function<void(const TrafficResult&)>& done) {
  std::vector<TrafficResult> results;
  const auto work = [&](std::size_t i) {
    try {
      return to_json(run_traffic(setup, loads[i]));
    } catch (const std::invalid_argument&) {
      throw;
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("load {:g}: {}", loads[i], error.what()));
    }
  };
  run_in_children(loads.size(), jobs, work, [&](std::size_t, const nlohmann::json& result) {
    results.push_back(result_from_json(result));
    if (done) done(results.back());
  });
  return results;
}

}  // namespace wafertlm::traffic
