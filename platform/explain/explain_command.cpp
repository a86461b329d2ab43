// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "platform/command/child.h"
#include "platform/command/format.h"
#include "platform/commands.h"
#include "platform/config/load.h"
#include "platform/explain/graph_recorder.h"
#include "platform/report/report.h"
#include "platform/report/usage.h"
#include "platform/run/observers.h"
#include "workloads/chakra/node_source.h"

namespace wafertlm {
namespace {

/// What the last iteration would gain at most, in the recorded order of service, if something took no time.
struct Gain {
  enum class Kind { category, link };
  Kind kind = Kind::category;
  std::string what;       ///< "compute", "memory", a traffic class, or the name of a link
  TimePs gain_ps = 0;     ///< of the last iteration's time
  TimePs on_path_ps = 0;  ///< of a category: its part of the critical path
};

constexpr std::size_t kMaxLinks = 16;

/// Upper bound of the time that a link is busy between two moments: buckets count whole where they begin or
/// end within, but no more than the part of them that lies within.
class BusyTime {
 public:
  BusyTime(const TimeBuckets& buckets, std::size_t link)
      : sums_(buckets.sums(link)), width_(buckets.width_ps()) {}
  TimePs between(TimePs from, TimePs to) const {
    double busy = 0;
    for (std::size_t i = from / width_; i < sums_.size() && i * width_ < to; ++i) {
      const TimePs begin = std::max<TimePs>(from, i * width_), end = std::min<TimePs>(to, (i + 1) * width_);
      busy += std::min(sums_[i], static_cast<double>(end - begin));
    }
    return static_cast<TimePs>(std::ceil(busy));
  }

 private:
  const std::vector<double>& sums_;
  TimePs width_;
};

TimePs gain_of(const GraphRecorder::Recorded& recorded, const std::function<TimePs(std::uint32_t)>& own) {
  const RecordedGraph& graph = recorded.graph;
  const TimePs before = recorded.iteration_ps(graph.retime([&](std::uint32_t i) { return graph.own_ps(i); }));
  const TimePs after = recorded.iteration_ps(graph.retime(own));
  return before > after ? before - after : 0;
}

/// The gain if the operations of one category took no time.
TimePs category_gain(const GraphRecorder::Recorded& recorded, const std::string& category) {
  const RecordedGraph& graph = recorded.graph;
  return gain_of(recorded, [&](std::uint32_t i) {
    return recorded.categories[graph.operation(i).category] == category ? 0 : graph.own_ps(i);
  });
}

/// Of all categories, and of the busiest links: of each operation that uses the fabric the time in which the
/// link is busy meanwhile is taken off. Largest first; those without a gain are left out.
std::vector<Gain> gains(const GraphRecorder::Recorded& recorded, const CriticalPath& path, const Usage& usage,
                        const std::vector<MachineLink>& links) {
  const RecordedGraph& graph = recorded.graph;
  std::vector<Gain> all;
  for (const std::string& category : recorded.categories) {
    if (category.empty()) continue;
    const auto part = path.breakdown.find(category);
    all.push_back({Gain::Kind::category, category, category_gain(recorded, category),
                   part == path.breakdown.end() ? 0 : part->second});
  }
  std::vector<std::size_t> busiest(links.size());
  std::vector<double> busy(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    busiest[i] = i;
    for (const double sum : usage.links().sums(i)) busy[i] += sum;
  }
  std::stable_sort(busiest.begin(), busiest.end(),
                   [&](std::size_t a, std::size_t b) { return busy[a] > busy[b]; });
  busiest.resize(std::min(busiest.size(), kMaxLinks));
  const auto uses_fabric = [&](std::uint32_t i) {
    const std::string& category = recorded.categories[graph.operation(i).category];
    return !category.empty() && category != "compute" && category != "cpu" && category != "memory";
  };
  for (const std::size_t link : busiest) {
    if (busy[link] == 0) continue;
    const BusyTime time(usage.links(), link);
    all.push_back(
        {Gain::Kind::link, links[link].name,
         gain_of(recorded,
                 [&](std::uint32_t i) {
                   const TimePs own = graph.own_ps(i);
                   if (!uses_fabric(i)) return own;
                   return own - std::min(own, time.between(graph.could_go_ps(i), graph.operation(i).end_ps));
                 }),
         0});
  }
  all.erase(std::remove_if(all.begin(), all.end(), [](const Gain& each) { return each.gain_ps == 0; }),
            all.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const Gain& a, const Gain& b) { return a.gain_ps > b.gain_ps; });
  return all;
}

std::string node_category(const chakra::Node& node) {
  using chakra::NodeType;
  if (node.type == NodeType::Comp) return node.is_cpu_op ? "cpu" : "compute";
  if (node.type == NodeType::CommColl) {
    if (node.is_launch()) return "cpu";
    return node.comm_class.empty() ? chakra::kDefaultCollectiveClass : node.comm_class;
  }
  if (node.type == NodeType::CommSend || node.type == NodeType::CommRecv)
    return node.comm_class.empty() ? chakra::kDefaultMessageClass : node.comm_class;
  return node.type == NodeType::MemLoad || node.type == NodeType::MemStore ? "memory" : "";
}

/// The nodes of another source, those of one category with next to nothing to do: "compute" and "cpu" take no
/// time, communications of a class and loads and stores move a byte. Latencies remain.
class InstantSource final : public chakra::NodeSource {
 public:
  InstantSource(std::unique_ptr<chakra::NodeSource> source, std::string category)
      : source_(std::move(source)), category_(std::move(category)) {}
  bool next(chakra::Node& node) override {
    if (!source_->next(node)) return false;
    if (node_category(node) != category_) return true;
    if (node.type == chakra::NodeType::Comp || node.is_launch()) {
      node.duration_ps = 0;
      node.num_ops = 0;
      node.tensor_size = 0;
      node.products.clear();
    } else if (node.tensor_size.value_or(0) != 0) {
      node.tensor_size = 1;
    }
    if (node.comm_size.value_or(0) != 0) node.comm_size = 1;
    return true;
  }
  void rewind() override { source_->rewind(); }
  const std::string& name() const override { return source_->name(); }

 private:
  std::unique_ptr<chakra::NodeSource> source_;
  std::string category_;
};

namespace fs = std::filesystem;
using Json = nlohmann::json;
constexpr std::size_t kShown = 5;

struct Options {
  std::string folder;
  bool rerun = false;
};

/// A run with its graph.
struct Recording {
  Machine machine;
  Usage usage;
  JobRun run;
  GraphRecorder recorder;
  LinkObservers links;
  GraphRecorder::Recorded recorded;

  Recording(const config::ExperimentSpec& experiment, const Job& job)
      : machine(experiment.platform), usage(machine), run(machine, job, experiment), recorder(job.size()) {
    run.observe(recorder);
    machine.observe_links(usage);
    run.run();
    recorded = recorder.graph(run, experiment);
  }
};

TimePs iteration_ps(const JobRun& run) {
  const auto iterations = run.iterations();
  return iterations.back().end_ps - iterations.back().start_ps;
}

/// [[rank, iteration, node, own ps]] of all operations.
Json own_times(const GraphRecorder::Recorded& recorded) {
  Json rows = Json::array();
  for (std::uint32_t i = 0; i < recorded.graph.size(); ++i) {
    const auto& key = recorded.keys[i];
    if (key.node != GraphRecorder::Recorded::kEnd)
      rows.push_back({key.rank, key.iteration, key.node, recorded.graph.own_ps(i)});
  }
  return rows;
}

/// What happened to the rest when `category` was made instant, and how the iteration changed.
struct Rerun {
  TimePs iteration_ps = 0;
  std::map<GraphRecorder::Recorded::Key, TimePs> own_ps;
};

Rerun rerun(const config::ExperimentSpec& experiment, const std::string& category) {
  const Json found = run_in_child([&]() -> Json {
    Job job = load_job(experiment);
    for (auto& source : job.ranks) source = std::make_unique<InstantSource>(std::move(source), category);
    Recording recording(experiment, job);
    return {{"iteration_ps", iteration_ps(recording.run)}, {"own", own_times(recording.recorded)}};
  });
  Rerun made;
  made.iteration_ps = found["iteration_ps"].get<TimePs>();
  for (const Json& row : found["own"])
    made.own_ps[{row[0].get<std::uint32_t>(), row[1].get<std::uint32_t>(), row[2].get<std::uint64_t>()}] =
        row[3].get<TimePs>();
  return made;
}

std::string signed_time(double ps) {
  return (ps < 0 ? "-" : "") + format_time(static_cast<TimePs>(std::llround(std::abs(ps))));
}

/// The recorded gain beside that of a real run, and what makes the difference.
void print_rerun(const GraphRecorder::Recorded& recorded, const Gain& gain, TimePs iteration,
                 const Rerun& real) {
  const RecordedGraph& graph = recorded.graph;
  const auto own = [&](std::uint32_t i) {
    const auto found = real.own_ps.find(recorded.keys[i]);
    return found == real.own_ps.end() ? graph.own_ps(i) : found->second;
  };
  const auto time = static_cast<double>(iteration);
  const double stated = static_cast<double>(gain.gain_ps);
  const double saved = time - static_cast<double>(real.iteration_ps);
  const double with_times = time - static_cast<double>(recorded.iteration_ps(graph.retime(own)));
  const double instant =
      time - static_cast<double>(recorded.iteration_ps(graph.retime([&](std::uint32_t i) {
        return recorded.categories[graph.operation(i).category] == gain.what ? own(i) : graph.own_ps(i);
      })));
  fmt::print(
      "     a real run with it next to instant: {} ({} in the recorded order). The difference of {}: {} "
      "because its latencies remain, {} because others take another time beside it, {} because the order of "
      "service changes.\n",
      signed_time(saved), signed_time(stated), signed_time(saved - stated), signed_time(instant - stated),
      signed_time(with_times - instant), signed_time(saved - with_times));
}

std::string name_of(const Gain& gain) {
  if (gain.kind == Gain::Kind::link) return "link " + gain.what;
  if (gain.what == "compute" || gain.what == "memory") return gain.what;
  return gain.what == "cpu" ? "the CPUs" : "class " + gain.what;
}

void print_gain(std::size_t number, const Gain& gain, TimePs iteration) {
  fmt::print("  {}. {:<28} at most {:>11} ({:.2f} %)", number, name_of(gain), format_time(gain.gain_ps),
             100 * static_cast<double>(gain.gain_ps) / static_cast<double>(iteration));
  if (gain.on_path_ps != 0) fmt::print(", {} of the critical path", format_time(gain.on_path_ps));
}

/// Links that gain the same within a hundredth are one line: on a regular fabric there are many.
void print_links(const std::vector<Gain>& links, TimePs iteration) {
  if (links.empty()) return;
  fmt::print("The same for single links, of the busiest ones:\n");
  std::size_t shown = 0;
  for (std::size_t i = 0; i < links.size() && shown < kShown;) {
    std::size_t similar = 1;
    while (i + similar < links.size() && links[i + similar].gain_ps * 100 >= links[i].gain_ps * 99) ++similar;
    print_gain(++shown, links[i], iteration);
    fmt::print("{}\n", similar == 1 ? "" : fmt::format(", and {} more like it", similar - 1));
    i += similar;
  }
}

int explain(const Options& options) {
  const auto results = read_results(options.folder);
  const fs::path given = options.folder;
  const fs::path folder = fs::is_directory(given) ? given : given.parent_path();
  const fs::path file = folder / "resolved.yaml";
  if (!fs::is_regular_file(file))
    throw std::invalid_argument(file.string() +
                                " is not there; give a folder that `wafertlm run` has written");
  const config::ExperimentSpec experiment = config::load_experiment(file.string());
  const Job job = load_job(experiment);
  // Real runs first: each is a process of its own, which must not have a simulation in it yet.
  std::map<std::string, Rerun> reruns;
  if (options.rerun) {
    std::set<std::string> categories = {"compute"};
    for (const auto& summary : job.summaries)
      categories.insert(summary.classes.begin(), summary.classes.end());
    for (const std::string& category : categories) reruns[category] = rerun(experiment, category);
  }
  Recording recording(experiment, job);
  const TimePs iteration = iteration_ps(recording.run);
  if (iteration != results["iterations"].back()["time_ps"].get<TimePs>())
    throw std::runtime_error(folder.string() +
                             " was written by another version of the program, or its traces have changed: "
                             "its last iteration takes another time now. Run it again");
  const auto all = gains(recording.recorded, recording.run.critical_path(), recording.usage,
                         machine_links(recording.machine));
  fmt::print(
      "{}: the last iteration takes {}.\nWhat would shorten it most if it took no time, in the recorded "
      "order of service:\n",
      results["experiment"].get<std::string>(), format_time(iteration));
  std::size_t shown = 0;
  std::vector<Gain> links;
  for (const Gain& each : all) {
    if (each.kind == Gain::Kind::link) {
      links.push_back(each);
      continue;
    }
    print_gain(++shown, each, iteration);
    fmt::print("\n");
    if (const auto real = reruns.find(each.what); real != reruns.end())
      print_rerun(recording.recorded, each, iteration, real->second);
  }
  if (all.empty()) fmt::print("  nothing\n");
  print_links(links, iteration);
  return 0;
}

}  // namespace

std::function<int()> add_explain_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "explain", "What would shorten a run's last iteration most; simulates it again to find out");
  command->add_option("DIR", options->folder, "Folder that `wafertlm run` has written, or its results.json")
      ->required()
      ->type_name("DIR");
  command->add_flag(
      "--rerun", options->rerun,
      "Also run it with compute, and each traffic class, next to instant, and explain the difference");
  command->footer("Example:\n  wafertlm explain out/resnet50_dp20_mesh_5x4 --rerun");
  return [options] { return explain(*options); };
}

}  // namespace wafertlm
