// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/trace_classify.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/commands/trace/class_file.h"
#include "platform/commands/trace/job_output.h"
#include "platform/commands/trace/trace_job.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/text/aligned.h"
#include "platform/text/format.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"
#include "workloads/edit/classes.h"

namespace wafertlm {
namespace {

struct ClassifyArguments {
  JobOutput out;
  std::string job, groups, classes = "auto";
  bool json = false;
};

using Sources = std::vector<std::unique_ptr<chakra::NodeSource>>;

bool is_file_name(const std::string& text) { return text.find_first_of("./") != std::string::npos; }

edit::CommunicationUse use_of(const Sources& sources, const chakra::CommGroups& groups) {
  edit::CommunicationUse use;
  use.ranks = static_cast<std::uint32_t>(sources.size());
  chakra::Node node;
  for (std::uint32_t rank = 0; rank < use.ranks; ++rank) {
    while (sources[rank]->next(node)) use.add(node, rank, groups);
    sources[rank]->rewind();
  }
  return use;
}

/// What the file says of names of groups and of messages goes before axes.
edit::CommunicationClasses classes_by(const ClassSpec& spec, edit::CommunicationUse use,
                                      const chakra::CommGroups& groups) {
  std::map<std::string, std::string> by_name;
  for (const ClassSpec::Group& each : spec.groups) {
    bool fits = false;
    for (auto of = use.groups.begin(); of != use.groups.end();) {
      const bool is_it = fnmatch(each.pattern.c_str(), of->first.c_str(), 0) == 0;
      fits |= is_it;
      if (is_it) by_name[of->first] = each.traffic_class;
      of = is_it ? use.groups.erase(of) : std::next(of);
    }
    if (!fits)
      throw std::invalid_argument(fmt::format(
          "no group without a class is called '{}'; `wafertlm trace stats` lists them", each.pattern));
  }
  if (!spec.messages.empty()) use.messages.clear();
  edit::CommunicationClasses found =
      spec.axes.empty() ? edit::classes_by_shape(use, groups) : edit::classes_by_axes(use, groups, spec.axes);
  found.groups.insert(by_name.begin(), by_name.end());
  if (!spec.messages.empty()) found.messages = spec.messages;
  return found;
}

/// The nodes of a source with their classes.
class Classified final : public chakra::ForwardingSource {
 public:
  Classified(chakra::NodeSource& source, const edit::CommunicationClasses& classes,
             const chakra::CommGroups& groups)
      : ForwardingSource(source), classes_(classes), groups_(groups) {}

  bool next(chakra::Node& node) override {
    if (!source().next(node)) return false;
    if (node.comm_class.empty()) node.comm_class = classes_.of(node, groups_);
    return true;
  }

 private:
  const edit::CommunicationClasses& classes_;
  const chakra::CommGroups& groups_;
};

/// How many nodes get each class.
std::map<std::string, std::uint64_t> counts_of(const edit::CommunicationUse& use,
                                               const edit::CommunicationClasses& classes) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [name, traffic_class] : classes.groups) counts[traffic_class] += use.groups.at(name).nodes;
  if (!classes.messages.empty())
    for (const auto& [ends, nodes] : use.messages) counts[classes.messages] += nodes;
  return counts;
}

nlohmann::ordered_json axes_json(const edit::CommunicationClasses& classes) {
  nlohmann::ordered_json axes = nlohmann::ordered_json::array();
  for (const edit::RankAxis& each : classes.axes)
    axes.push_back({{"stride", each.stride}, {"size", each.size}, {"class", each.traffic_class}});
  return axes;
}

std::string text_of(const edit::CommunicationClasses& classes,
                    const std::map<std::string, std::uint64_t>& counts) {
  std::string text;
  for (const edit::RankAxis& each : classes.axes)
    text += fmt::format("  axis of {}, stride {}: {}\n", counted(each.size, "rank"), each.stride,
                        each.traffic_class.empty() ? "not decided" : each.traffic_class);
  for (const auto& [name, nodes] : counts)
    text += fmt::format("  class {}: {}\n", name, counted(nodes, "node"));
  for (const std::string& each : classes.undecided) text += "  not decided: " + each + "\n";
  if (!classes.undecided.empty())
    text += "  `--classes mp=8,dp=4,pp=2` gives the axes, innermost first, a file the classes of groups\n";
  return text;
}

int classify(const ClassifyArguments& arguments) {
  const std::vector<std::string> files = chakra::find_rank_files(arguments.job);
  arguments.out.require_other_than(arguments.job);
  Sources sources;
  chakra::OneSet set;
  for (const std::string& file : files) {
    sources.push_back(chakra::open_trace(file));
    set.add(*sources.back());
  }
  const chakra::CommGroups groups =
      groups_of(arguments.groups, static_cast<std::uint32_t>(files.size()), files);
  const edit::CommunicationUse use = use_of(sources, groups);
  if (use.groups.empty() && use.messages.empty())
    throw std::invalid_argument(arguments.job + ": all communication has a class already, or there is none");
  const ClassSpec spec = arguments.classes == "auto"       ? ClassSpec()
                         : is_file_name(arguments.classes) ? load_classes(arguments.classes)
                                                           : classes_of_text(arguments.classes);
  const edit::CommunicationClasses classes = classes_by(spec, use, groups);
  if (classes.groups.empty() && classes.messages.empty())
    throw std::invalid_argument(fmt::format("{}: no class can be told; {}; --classes says which (--help)",
                                            arguments.job,
                                            classes.undecided.empty() ? "" : classes.undecided.front()));
  const std::map<std::string, std::uint64_t> counts = counts_of(use, classes);
  std::vector<std::unique_ptr<Classified>> classified;
  std::vector<chakra::NodeSource*> pointers;
  for (const auto& source : sources) {
    classified.push_back(std::make_unique<Classified>(*source, classes, groups));
    pointers.push_back(classified.back().get());
  }
  chakra::validate_job(pointers, groups);
  for (const auto& each : classified) each->rewind();
  const std::string own_groups = arguments.groups.empty() ? groups_text(groups.to_map()) : "";
  const std::uint64_t nodes = write_job(arguments.out, pointers, own_groups, arguments.json);
  if (arguments.json) {
    print_json({{"ranks", files.size()},
                {"nodes", nodes},
                {"axes", axes_json(classes)},
                {"classes", counts},
                {"groups", classes.groups},
                {"messages", classes.messages},
                {"undecided", classes.undecided},
                {"written", written_json(arguments.out, files.size(), own_groups)}});
    return 0;
  }
  fmt::print("{}: {}, {}\n{}{}", arguments.out.prefix, counted(files.size(), "rank"), counted(nodes, "node"),
             text_of(classes, counts), groups_line(arguments.out, own_groups));
  return 0;
}

}  // namespace

std::function<int()> add_trace_classify(CLI::App& trace) {
  auto arguments = std::make_shared<ClassifyArguments>();
  CLI::App* command = trace.add_subcommand(
      "classify",
      "Give communication of others' traces its traffic class: tensor, data, pipeline parallelism");
  command->add_option("PREFIX", arguments->job, "Traces of all ranks, PREFIX.<rank>.et")->required();
  add_job_output(*command, arguments->out);
  command
      ->add_option(
          "--classes", arguments->classes,
          "auto: by the shape of groups; axes of the grid of ranks, innermost first: mp=8,dp=4,pp=2; or a "
          "file (.yaml) that also gives groups by name")
      ->type_name("auto|AXES|FILE")
      ->capture_default_str();
  add_shared_option(*command, "--comm-groups", arguments->groups);
  add_json_flag(*command, arguments->json);
  command->footer(
      "Groups whose ranks have equal distances and that have every rank once are an axis of the grid of "
      "ranks.\n"
      "Messages go along the pipeline (pp); of two other axes the inner is tensor (mp), the outer data "
      "parallelism\n"
      "(dp); one that only has all-to-alls is of experts (ep). What cannot be decided is named and stays as "
      "it "
      "is.\n"
      "Examples:\n"
      "  wafertlm trace classify traces/job --out traces/classified\n"
      "  wafertlm trace classify traces/job --classes mp=8,dp=4 --out traces/classified");
  return [=] { return command->parsed() ? classify(*arguments) : -1; };
}

}  // namespace wafertlm
