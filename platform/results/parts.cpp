// SPDX-License-Identifier: Apache-2.0
#include "platform/results/parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "models/npu/compute_engine.h"
#include "platform/describe/fields.h"
#include "platform/text/format.h"
#include "workloads/training/memory.h"

namespace wafertlm {
namespace {

using results::Fields;
using results::Json;
namespace schema = results::schema;

struct ModelRow {
  const char* name;
  std::uint64_t computations = 0;
  Uint128 time_ps = 0;
};

const Fields<ModelRow>& model_fields() {
  static const Fields<ModelRow> fields([](Fields<ModelRow>& f) {
    using R = const ModelRow&;
    f.add("computations", schema::count(), &ModelRow::computations);
    f.add("time_s", schema::seconds(), [](R row) { return static_cast<double>(row.time_ps) / kPsPerSecond; });
  });
  return fields;
}

/// Of all NPUs, which have the same models.
struct ComputeRow {
  const config::PlatformSpec& platform;
  const Measurements& measured;
};

Json models_json(const ComputeRow& of) {
  const ComputeEngine engine(config::compute_params(of.platform, NpuId{0}));
  std::vector<ModelRow> rows;
  for (const ComputeEngine::Use& use : engine.uses()) rows.push_back({use.model->name()});
  for (const NpuMeasurements& npu : of.measured.npus)
    for (std::size_t i = 0; i < npu.uses.size(); ++i) {
      rows.at(i).computations += npu.uses[i].computations;
      rows.at(i).time_ps += npu.uses[i].time_ps;
    }
  Json models = Json::object();
  for (const ModelRow& row : rows) models[row.name] = model_fields().json(row);
  return models;
}

const Fields<ComputeRow>& compute_fields() {
  static const Fields<ComputeRow> all([](Fields<ComputeRow>& f) {
    f.add("model", {{"enum", {"roofline", "systolic", "tiled"}}}, [](const ComputeRow& of) {
      constexpr const char* kNames[] = {"roofline", "systolic", "tiled"};
      return kNames[static_cast<std::size_t>(of.platform.npu.compute.model)];
    });
    f.add("told_by",
          schema::map_of(model_fields().schema(),
                         "Which compute model gave the duration of how many computations"),
          models_json);
  });
  return all;
}

}  // namespace

Json compute_json(const config::PlatformSpec& platform, const Measurements& measured) {
  return compute_fields().json({platform, measured});
}
Json compute_schema() { return compute_fields().schema(); }

std::string compute_text(const Json& results) {
  const Json& compute = results["compute"];
  if (compute["model"] == "roofline") return "";
  std::string text;
  for (const auto& [name, row] : compute["told_by"].items())
    text += fmt::format("{}{} by {} ({})", text.empty() ? "Computations of all NPUs: " : ", ",
                        row["computations"].get<std::uint64_t>(), name,
                        format_time(static_cast<TimePs>(row["time_s"].get<double>() * 1e12)));
  return text + "; what names no matrix product goes by the roofline.\n";
}

namespace {

/// Of a workload that this program generates.
struct TrainingRow {
  std::uint64_t minibatch = 0;
  std::optional<double> rate;
  double peak = 0;
  /// Not with data_parallel.
  struct Model {
    std::uint64_t needed_bytes, capacity_bytes;
    training::Strategy all, simulated;
  };
  std::optional<Model> model;
};

const Fields<TrainingRow>& training_fields() {
  static const Fields<TrainingRow> all([](Fields<TrainingRow>& f) {
    using R = const TrainingRow&;
    using M = const TrainingRow::Model&;
    const Json or_null = {{"type", {"number", "null"}}};
    f.add("minibatch", schema::positive(), &TrainingRow::minibatch);
    f.add("effective_rate_operations_per_s", or_null,
          [](R row) { return row.rate ? Json(*row.rate) : Json(); });
    f.add("peak_operations_per_s", schema::number(), &TrainingRow::peak);
    f.add("effective_to_peak", schema::described(or_null, "An input: the workload's rate by npu.peak"),
          [](R row) { return row.rate && row.peak > 0 ? Json(*row.rate / row.peak) : Json(); });
    const auto add = [&f](const char* name, Json schema, auto value) {
      f.add_if([](R row) { return row.model.has_value(); }, name, std::move(schema),
               [value](R row) { return Json(value(*row.model)); });
    };
    add("memory_needed_bytes", schema::count(), [](M of) { return of.needed_bytes; });
    add("memory_capacity_bytes", schema::count(), [](M of) { return of.capacity_bytes; });
    add("memory_fits", schema::boolean(), [](M of) { return of.needed_bytes <= of.capacity_bytes; });
    add("chunks_per_stage", schema::positive(), [](M of) { return of.all.chunks_per_stage; });
    add("simulated_chunks", schema::positive(), [](M of) { return of.simulated.chunks_to_simulate(); });
    add("weight_loads_per_pass", schema::positive(), [](M of) { return of.all.weight_loads_per_pass; });
    add("simulated_rounds", schema::positive(), [](M of) { return of.simulated.rounds_to_simulate(); });
  });
  return all;
}

}  // namespace

Json training_json(const config::ExperimentSpec& experiment) {
  const config::WorkloadSpec& workload = experiment.workload;
  const config::NpuSpec& npu = experiment.platform.npu;
  const auto peak = static_cast<double>(npu.peak_operations_per_s);
  if (workload.kind == config::WorkloadKind::traces) return nullptr;
  if (workload.kind == config::WorkloadKind::data_parallel) {
    const config::DataParallelSpec& spec = workload.data_parallel;
    return training_fields().json(
        {spec.data_parallel * spec.batch_per_npu, spec.effective_rate_operations_per_s, peak, {}});
  }
  const training::Strategy strategy = workload.training.whole_strategy();
  const training::Plan plan(config::build_model(workload.training.model), strategy);
  std::uint64_t needed = 0;
  for (std::uint32_t rank = 0; rank < plan.ranks(); ++rank)
    needed = std::max(needed, memory_need(plan, rank).total());
  return training_fields().json(
      {strategy.minibatch, workload.training.effective_rate_operations_per_s, peak,
       TrainingRow::Model{needed, npu.hbm.capacity_bytes, strategy, workload.training.strategy}});
}

Json training_schema() { return training_fields().schema(); }

std::string training_text(const Json& results) {
  const Json& training = results["training"];
  if (training.is_null()) return "";
  std::string text;
  if (!training["effective_to_peak"].is_null())
    text += fmt::format(
        "Given in the workload: computations at {:.4g} TFLOPS, {:.4g} times the peak of an NPU.\n",
        training["effective_rate_operations_per_s"].get<double>() / 1e12,
        training["effective_to_peak"].get<double>());
  if (training.contains("simulated_chunks")) {
    const auto part = [&](const char* simulated, const char* all, const char* what) {
      if (training[simulated] != training[all])
        text +=
            fmt::format("Only {} of {} {} are simulated: all times are of this part.\n",
                        training[simulated].get<std::uint32_t>(), training[all].get<std::uint32_t>(), what);
    };
    part("simulated_chunks", "chunks_per_stage", "chunks of each stage");
    part("simulated_rounds", "weight_loads_per_pass", "rounds of weight_loads_per_pass");
  }
  return text;
}

namespace {

struct MemoryCheckRow {
  std::uint64_t needed_bytes = 0, capacity_bytes = 0;  // of the rank that needs most
  std::uint32_t rank = 0;
  std::string gap;  // what the workload does not tell; empty: nothing

  bool overflows() const { return needed_bytes > capacity_bytes; }
  bool checked() const { return gap.empty() || overflows(); }
};

const Fields<MemoryCheckRow>& memory_check_fields() {
  static const Fields<MemoryCheckRow> all([](Fields<MemoryCheckRow>& f) {
    using R = const MemoryCheckRow&;
    f.add("checked", schema::boolean("False: the workload does not tell what a rank keeps, see reason"),
          &MemoryCheckRow::checked);
    f.add("fits", {{"type", {"boolean", "null"}}},
          [](R row) { return row.checked() ? Json(!row.overflows()) : Json(); });
    f.add("needed_bytes",
          schema::count("At the same time, of the rank that needs most, as far as the workload tells"),
          &MemoryCheckRow::needed_bytes);
    f.add("rank", schema::count(), &MemoryCheckRow::rank);
    f.add("capacity_bytes", schema::count("npu.hbm.capacity"), &MemoryCheckRow::capacity_bytes);
    f.add_if([](R row) { return !row.checked(); }, "reason", schema::text(), [](R row) { return row.gap; });
  });
  return all;
}

}  // namespace

Json memory_check_json(const config::ExperimentSpec& experiment, const Job& job) {
  MemoryCheckRow row;
  row.capacity_bytes = experiment.platform.npu.hbm.capacity_bytes;
  for (std::uint32_t rank = 0; rank < job.size(); ++rank) {
    const chakra::Footprint& of = job.summaries[rank].footprint;
    if (!of.is_whole() && row.gap.empty()) row.gap = fmt::format("{}: {}", job.ranks[rank]->name(), of.gap);
    const std::uint64_t capacity = hbm_capacity_bytes(experiment.platform, job.npus[rank]);
    const auto missing = static_cast<std::int64_t>(of.bytes - capacity);
    if (missing <= static_cast<std::int64_t>(row.needed_bytes - row.capacity_bytes)) continue;
    row = {of.bytes, capacity, rank, row.gap};
  }
  return memory_check_fields().json(row);
}

Json memory_check_schema() { return memory_check_fields().schema(); }

std::string memory_check_text(const Json& results) {
  const Json& check = results["memory_check"];
  if (!check["checked"].get<bool>())
    return fmt::format("Memory not checked: {}.\n", check["reason"].get<std::string>());
  if (check["fits"].get<bool>()) return "";
  return fmt::format("It does not fit: rank {} needs {} of memory, and an NPU has {} (hbm_overflow: note).\n",
                     check["rank"].get<std::uint32_t>(),
                     format_bytes(check["needed_bytes"].get<std::uint64_t>()),
                     format_bytes(check["capacity_bytes"].get<std::uint64_t>()));
}

namespace {

struct MemoryRow {
  std::string name;
  const MemoryMeasurements& of;
  TimePs end_ps;
  MemoryLosses losses;  // up to there; with is_dram(): of its channels

  const MemoryUse& read() const { return of.of(HbmCommand::read); }
  const MemoryUse& write() const { return of.of(HbmCommand::write); }
  double bytes() const { return static_cast<double>(read().bytes + write().bytes); }
  bool is_dram() const { return losses.channels != 0; }
  bool is_flow() const { return of.pins_bytes_per_s != 0 && !is_dram(); }
  // With is_flow().
  TimePs total_ps() const { return std::max(end_ps, of.flow_end_ps); }
  TimePs idle_ps() const { return of.flow_idle_ps + total_ps() - of.flow_end_ps; }
  double moving_s() const { return bytes() / static_cast<double>(of.pins_bytes_per_s); }
};

double memory_busy_fraction(const MemoryRow& row) {
  if (row.is_dram()) {  // the mean of its channels
    const double whole_fs =
        static_cast<double>(row.losses.channels) * static_cast<double>(row.losses.total_fs);
    return whole_fs == 0 ? 0 : static_cast<double>(row.losses.sum.busy_fs) / whole_fs;
  }
  if (row.is_flow()) return row.total_ps() == 0 ? 0 : row.moving_s() / seconds(row.total_ps());
  return seconds(std::max(row.read().busy_ps, row.write().busy_ps)) / seconds(row.end_ps);
}

Json lost(const MemoryRow& row) {
  if (row.of.is_replaced != 0) return Json::object();  // by RTL: nobody knows
  if (row.is_flow())
    return {{"too_few_outstanding_s", seconds(row.idle_ps())},
            {"efficiency_s", std::max(0.0, seconds(row.total_ps() - row.idle_ps()) - row.moving_s())}};
  if (!row.is_dram()) return {{"too_few_outstanding_s", seconds(row.read().idle_ps + row.write().idle_ps)}};
  Json json = Json::object();
  const Json parts = loss_parts(row.losses);
  for (const auto& [name, fs] : parts.items())
    if (name != "busy")
      json[name + "_s"] = fs.get<double>() * 1e-15 / static_cast<double>(row.losses.channels);
  return json;
}

const Fields<MemoryRow>& memory_fields() {
  static const Fields<MemoryRow> fields([](Fields<MemoryRow>& f) {
    using R = const MemoryRow&;
    f.add("name", schema::text(), &MemoryRow::name);
    f.add("bytes_read", schema::count(), [](R row) { return row.read().bytes; });
    f.add("bytes_written", schema::count(), [](R row) { return row.write().bytes; });
    f.add("busy_fraction", schema::fraction(), memory_busy_fraction);
    f.add("lost", schema::map_of(schema::seconds(), "Time in which data could have moved, by cause"), lost);
    f.add_if([](R row) { return row.of.pins_bytes_per_s != 0; }, "bandwidth_bytes_per_s",
             schema::described({{"type", "number"}, {"exclusiveMinimum", 0}},
                               "Of the pins, with npu.hbm.generation"),
             [](R row) { return row.of.pins_bytes_per_s; });
    const auto add = [&f](const char* name, Json schema, auto value) {
      f.add_if([](R row) { return row.is_dram(); }, name, std::move(schema),
               [value](R row) { return Json(value(row.losses)); });
    };
    using L = const MemoryLosses&;
    add("channels", schema::count("Pseudo-channels; this and what follows at level burst and command"),
        [](L losses) { return losses.channels; });
    add("channel_time_fs", schema::count("Of each channel, to the end of the run or of the last transfer"),
        [](L losses) { return losses.total_fs; });
    add("time_of_all_channels_fs", schema::map_of(schema::count(), "Sums to channels times channel_time_fs"),
        loss_parts);
    add("row_visits", schema::count(), [](L losses) { return losses.sum.row_visits; });
    add("row_hits", schema::count(), [](L losses) { return losses.sum.row_hits; });
    add("activates", schema::count(), [](L losses) { return losses.sum.activates; });
    add("turnarounds", schema::count(), [](L losses) { return losses.sum.turns; });
    add("refreshes", schema::count(), [](L losses) { return losses.sum.refreshes; });
  });
  return fields;
}

}  // namespace

Json loss_parts(const MemoryLosses& losses) {
  Json parts = {{"busy", losses.sum.busy_fs},
                {"too_few_outstanding", losses.too_few_outstanding_fs},
                {"channel_imbalance", losses.channel_imbalance_fs}};
  for (std::size_t k = 1; k < kDramLosses; ++k)
    if (static_cast<DramLoss>(k) != DramLoss::not_told || losses.sum.lost_fs[k] != 0)
      parts[kDramLossNames[k]] = losses.sum.lost_fs[k];
  return parts;
}

Json memory_json(const std::string& name, const MemoryMeasurements& memory, TimePs end_ps) {
  MemoryRow row{name, memory, end_ps, memory.losses};
  if (row.is_dram()) extend(row.losses, end_ps);
  return memory_fields().json(row);
}

Json memory_schema() { return memory_fields().schema(); }

std::string memories_text(const Json& results) {
  double bytes = 0, peak = 0, busy = 0, used = 0;
  std::map<std::string, double> lost;
  for (const Json& memory : results["memories"]) {
    if (!memory.contains("bandwidth_bytes_per_s")) return "";
    const double moved = memory["bytes_read"].get<double>() + memory["bytes_written"].get<double>();
    if (moved == 0) continue;
    bytes += moved;
    peak += memory["bandwidth_bytes_per_s"].get<double>();
    busy += memory["busy_fraction"].get<double>();
    ++used;
    for (const auto& [cause, time] : memory["lost"].items()) lost[cause] += time.get<double>();
  }
  if (bytes == 0) return "";
  double all = 0;
  std::vector<std::pair<double, std::string>> causes;
  for (const auto& [cause, time] : lost) {
    all += time;
    if (time > 0) causes.emplace_back(time, cause.substr(0, cause.size() - 2));
  }
  std::sort(causes.rbegin(), causes.rend());
  const double time = results["simulation"]["end_s"].get<double>();
  std::string text =
      fmt::format("\nMemories: {:.1f} GB at {:.1f} % of their pins' bandwidth over the run. The rest went to",
                  bytes * 1e-9, 100 * bytes / time / peak);
  for (const auto& [part, cause] : causes)
    text += fmt::format(" {} {:.1f} %,", cause, (100 - 100 * busy / used) * part / all);
  text.back() = '\n';
  return text;
}

namespace {

/// Those that there were.
Json causes(const RefusalCounts& counts) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kRefusals; ++i)
    if (counts[i] != 0) json[to_string(static_cast<Refusal>(i))] = counts[i];
  return json;
}

const Fields<ProviderEngine>& provider_fields() {
  static const Fields<ProviderEngine> fields([](Fields<ProviderEngine>& f) {
    using R = const ProviderEngine&;
    f.add("bytes_read", schema::count(), &ProviderEngine::bytes_read);
    f.add("bytes_written", schema::count(), &ProviderEngine::bytes_written);
    f.add("refusals", schema::map_of(schema::count()), [](R of) { return causes(of.refusals()); });
  });
  return fields;
}

struct EnginesRow {
  const RemotePool& remote;
  RequesterCounters all;
  PageTimes pages;

  explicit EnginesRow(const RemotePool& pool) : remote(pool) {
    for (std::uint32_t npu = 0; npu < remote.npus(); ++npu) {
      const RequesterCounters& of = remote.requester(npu).counters();
      all.bytes_read += of.bytes_read;
      all.bytes_written += of.bytes_written;
      all.slots_read += of.slots_read;
      all.slots_written += of.slots_written;
      all.busy_ps += of.busy_ps;
      pages.add(remote.requester(npu).page_times());
      for (std::size_t i = 0; i < kRefusals; ++i) all.refusals[i] += of.refusals[i];
    }
  }
  double asked() const { return static_cast<double>(all.bytes_read + all.bytes_written); }
  std::uint64_t proven(std::uint64_t (ContentsProof::*bytes)() const) const {
    std::uint64_t sum = 0;
    for (std::uint32_t npu = 0; npu < remote.npus(); ++npu) sum += (remote.proof(npu)->*bytes)();
    return sum;
  }
};

const Fields<EnginesRow>& engines_fields() {
  static const Fields<EnginesRow> fields([](Fields<EnginesRow>& f) {
    using R = const EnginesRow&;
    f.add("bytes_read", schema::count(), [](R row) { return row.all.bytes_read; });
    f.add("bytes_written", schema::count(), [](R row) { return row.all.bytes_written; });
    f.add("pages_read", schema::count(), [](R row) { return row.all.slots_read; });
    f.add("pages_written", schema::count(), [](R row) { return row.all.slots_written; });
    f.add("network_bytes", schema::count(), [](R row) { return row.remote.network().bytes(); });
    f.add("page_mean_s", schema::seconds("From an NPU's request to its answer, of each page of it"),
          [](R row) { return seconds(row.pages.mean_ps()); });
    f.add("page_p99_s", schema::seconds("At most 1/128 too large"),
          [](R row) { return seconds(row.pages.quantile_ps(99)); });
    f.add("bytes_per_s", schema::number("What NPUs asked for, of one engine while it has something to do"),
          [](R row) { return row.all.busy_ps == 0 ? 0.0 : row.asked() / seconds(row.all.busy_ps); });
    f.add("traffic_amplification", schema::number("network_bytes by what NPUs asked for"), [](R row) {
      return row.asked() == 0 ? 0.0 : static_cast<double>(row.remote.network().bytes()) / row.asked();
    });
    f.add("stops", schema::text("What is found of what a provider does to a page"),
          [](R row) { return stopped_by(row.remote.requester(0).params()); });
    f.add_if([](R row) { return row.remote.proof(0) != nullptr; }, "proven_bytes",
             schema::count("Loaded and equal to what was stored last; only in functional mode"),
             [](R row) { return row.proven(&ContentsProof::proven_bytes); });
    f.add_if([](R row) { return row.remote.proof(0) != nullptr; }, "unproven_bytes",
             schema::count("Loaded beside a store of the same 64 B, which nothing orders"),
             [](R row) { return row.proven(&ContentsProof::unproven_bytes); });
    f.add("refusals", schema::map_of(schema::count(), "Accesses by cause"),
          [](R row) { return causes(row.all.refusals); });
    f.add("providers",
          schema::list(provider_fields().schema(),
                       "What each memory moved, with tags and nodes; messages refused by cause"),
          [](R row) {
            Json providers = Json::array();
            for (std::uint32_t p = 0; p < row.remote.providers(); ++p)
              providers.push_back(provider_fields().json(row.remote.provider(p)));
            return providers;
          });
  });
  return fields;
}

struct PoolRow {
  const RemotePool& remote;
  TimePs end_ps, busy_ps = 0, wait_ps = 0, longest_ps = 0;

  PoolRow(const RemotePool& of, TimePs end) : remote(of), end_ps(end) {
    const PoolEngine& pool = remote.memory()->engine();
    for (std::uint32_t stage = 0; stage < pool.stages(); ++stage)
      for (const PoolCounters& server : pool.counters(stage)) {
        busy_ps = std::max(busy_ps, server.busy_ps);
        wait_ps += server.wait_ps;
        longest_ps = std::max(longest_ps, server.longest_wait_ps);
      }
  }
};

const Fields<PoolRow>& pool_fields() {
  static const Fields<PoolRow> fields([](Fields<PoolRow>& f) {
    using R = const PoolRow&;
    f.add("bytes_read", schema::count(), [](R row) { return row.remote.memory()->bytes_read(); });
    f.add("bytes_written", schema::count(), [](R row) { return row.remote.memory()->bytes_written(); });
    f.add("busiest_server_fraction", schema::fraction(),
          [](R row) { return seconds(row.busy_ps) / seconds(row.end_ps); });
    f.add("request_wait_s", schema::seconds("In the queues of all servers, of all requests"),
          [](R row) { return seconds(row.wait_ps); });
    f.add("longest_wait_s", schema::seconds(), [](R row) { return seconds(row.longest_ps); });
    f.add_if([](R row) { return row.remote.has_engines(); }, "engines", engines_fields().schema(),
             [](R row) { return engines_fields().json(EnginesRow(row.remote)); });
  });
  return fields;
}

}  // namespace

Json remote_memory_json(const RemotePool& remote, TimePs end_ps) {
  return pool_fields().json({remote, end_ps});
}

Json remote_memory_schema() {
  return pool_fields().schema("Only with a remote memory; bytes that its servers moved");
}

}  // namespace wafertlm
