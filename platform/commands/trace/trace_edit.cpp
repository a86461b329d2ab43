// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/trace/trace_edit.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "platform/commands/trace/job_output.h"
#include "platform/commands/trace/trace_job.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/validators.h"
#include "platform/text/format.h"
#include "tlm/input/number.h"
#include "workloads/chakra/rank_files.h"
#include "workloads/chakra/trace_file.h"
#include "workloads/chakra/validate.h"
#include "workloads/edit/edit.h"

namespace wafertlm {
namespace {

struct EditArguments {
  JobOutput out;
  std::string job, groups, precision, slice;
  std::vector<std::string> scale;
  std::uint64_t split_bytes = 0, fuse_bytes = 0;
  std::uint32_t repeat = 1;
  std::vector<std::uint32_t> ranks;
  bool json = false;
};

/// "A:B" as two whole numbers.
std::pair<std::uint64_t, std::uint64_t> two_numbers(const std::string& option, const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto number = [&](std::string_view part) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (part.empty() || error != std::errc() || end != part.data() + part.size())
      throw std::invalid_argument(option + " " + text + ": expected two whole numbers, A:B");
    return value;
  };
  if (colon == std::string::npos) number("");
  return {number(std::string_view(text).substr(0, colon)), number(std::string_view(text).substr(colon + 1))};
}

void apply_scale(edit::Nodes& nodes, const std::string& text, std::uint64_t& changed) {
  const std::size_t equals = text.find('=');
  const double factor = equals == std::string::npos
                            ? -1
                            : finite_number(std::string_view(text).substr(equals + 1)).value_or(-1);
  if (equals == 0 || factor < 0)
    throw std::invalid_argument("--scale " + text + ": expected CLASS=FACTOR, kernel=0.5");
  changed += edit::scale_durations(nodes, text.substr(0, equals), factor);
}

/// What was done, over all ranks.
struct Done {
  std::vector<std::uint64_t> scaled;
  std::uint64_t precision = 0, split = 0, fused = 0;
};

edit::Nodes edited(chakra::NodeSource& source, const EditArguments& arguments, Done& done) {
  edit::Nodes nodes;
  for (chakra::Node node; source.next(node);) nodes.push_back(node);
  if (!arguments.slice.empty()) {
    const auto [from, to] = two_numbers("--slice", arguments.slice);
    edit::slice(nodes, from, to);
  }
  done.scaled.resize(arguments.scale.size());
  for (std::size_t i = 0; i < arguments.scale.size(); ++i)
    apply_scale(nodes, arguments.scale[i], done.scaled[i]);
  if (!arguments.precision.empty()) {
    const auto [from, to] = two_numbers("--precision", arguments.precision);
    if (from == 0 || to == 0 || from > 1024 || to > 1024)
      throw std::invalid_argument("--precision " + arguments.precision + ": bits of an element, 1 to 1024");
    done.precision +=
        edit::change_precision(nodes, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
  }
  if (arguments.fuse_bytes != 0) done.fused += edit::fuse_collectives(nodes, arguments.fuse_bytes);
  if (arguments.split_bytes != 0) done.split += edit::split_collectives(nodes, arguments.split_bytes);
  if (!arguments.ranks.empty()) edit::rename_peers(nodes, arguments.ranks);
  if (arguments.repeat > 1) edit::repeat(nodes, arguments.repeat);
  return nodes;
}

/// An option that changes nothing is a mistake.
void require_effect(const EditArguments& arguments, const Done& done) {
  const auto require = [](bool effect, const std::string& option) {
    if (!effect) throw std::invalid_argument(option + " changes nothing: no node of the traces is concerned");
  };
  for (std::size_t i = 0; i < done.scaled.size(); ++i)
    require(done.scaled[i] != 0, "--scale " + arguments.scale[i]);
  if (!arguments.precision.empty()) require(done.precision != 0, "--precision " + arguments.precision);
  if (arguments.split_bytes != 0) require(done.split != 0, fmt::format("--split {}", arguments.split_bytes));
  if (arguments.fuse_bytes != 0) require(done.fused != 0, fmt::format("--fuse {}", arguments.fuse_bytes));
}

void require_permutation(std::vector<std::uint32_t> ranks, std::size_t size) {
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::uint32_t> all(size);
  std::iota(all.begin(), all.end(), 0U);
  if (ranks != all)
    throw std::invalid_argument(fmt::format("--renumber: expected the numbers 0 to {}, each once, for {}",
                                            size - 1, counted(size, "rank")));
}

/// A file's groups as they are, those that the traces define with the new ranks.
chakra::CommGroups edited_groups(const EditArguments& arguments, const std::vector<std::string>& files) {
  const auto size = static_cast<std::uint32_t>(files.size());
  chakra::CommGroups groups = groups_of(arguments.groups, size, files);
  if (!arguments.groups.empty() || arguments.ranks.empty()) return groups;
  auto renamed = groups.to_map();
  for (auto& [name, ranks] : renamed)
    for (std::uint32_t& rank : ranks) rank = arguments.ranks[rank];
  return chakra::CommGroups::from_map(renamed, size);
}

int edit_traces(const EditArguments& arguments) {
  const bool anything = !arguments.scale.empty() || !arguments.precision.empty() ||
                        !arguments.slice.empty() || arguments.split_bytes != 0 || arguments.fuse_bytes != 0 ||
                        arguments.repeat > 1 || !arguments.ranks.empty();
  if (!anything) throw std::invalid_argument("trace edit needs something to do; see --help");
  const std::vector<std::string> files = chakra::find_rank_files(arguments.job);
  if (!arguments.ranks.empty()) require_permutation(arguments.ranks, files.size());
  arguments.out.require_other_than(arguments.job);
  Done done;
  std::vector<std::unique_ptr<chakra::VectorSource>> sources(files.size());
  std::vector<chakra::NodeSource*> pointers(files.size());
  chakra::OneSet set;
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    const std::size_t as = arguments.ranks.empty() ? rank : arguments.ranks[rank];
    const auto trace = chakra::open_trace(files[rank]);
    set.add(*trace);
    sources[as] = std::make_unique<chakra::VectorSource>(files[rank], edited(*trace, arguments, done));
    pointers[as] = sources[as].get();
  }
  require_effect(arguments, done);
  const chakra::CommGroups groups = edited_groups(arguments, files);
  chakra::validate_job(pointers, groups);
  const std::string own_groups = arguments.groups.empty() ? groups_text(groups.to_map()) : "";
  const std::uint64_t nodes = write_job(arguments.out, pointers, own_groups, arguments.json);
  if (arguments.json) {
    nlohmann::ordered_json scaled = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < done.scaled.size(); ++i) scaled[arguments.scale[i]] = done.scaled[i];
    print_json({{"ranks", files.size()},
                {"nodes", nodes},
                {"scaled", scaled},
                {"bytes_changed", done.precision},
                {"fused", done.fused},
                {"split", done.split},
                {"written", written_json(arguments.out, files.size(), own_groups)}});
    return 0;
  }
  for (std::size_t i = 0; i < done.scaled.size(); ++i)
    fmt::print("  scaled {}: {}\n", arguments.scale[i], counted(done.scaled[i], "node"));
  if (done.precision != 0) fmt::print("  bytes changed of {}\n", counted(done.precision, "node"));
  if (done.fused != 0) fmt::print("  {} became part of another\n", counted(done.fused, "collective"));
  if (done.split != 0) fmt::print("  {} split\n", counted(done.split, "collective"));
  fmt::print("{}: {}, {}\n", arguments.out.prefix, counted(files.size(), "rank"), counted(nodes, "node"));
  fmt::print("{}", groups_line(arguments.out, own_groups));
  return 0;
}

}  // namespace

std::function<int()> add_trace_edit(CLI::App& trace) {
  auto arguments = std::make_shared<EditArguments>();
  CLI::App* command = trace.add_subcommand("edit", "Traces changed for what-if questions");
  command->add_option("PREFIX", arguments->job, "Traces of all ranks, PREFIX.<rank>.et")->required();
  add_job_output(*command, arguments->out);
  command
      ->add_option("--slice", arguments->slice, "Nodes from position A to before B, in the order of the file")
      ->type_name("A:B");
  command
      ->add_option("--scale", arguments->scale,
                   "Durations of a class times a factor: kernel, cpu, delay, ALL_REDUCE … (see trace stats)")
      ->type_name("CLASS=FACTOR");
  command
      ->add_option(
          "--precision", arguments->precision,
          "Bits of an element, before and after: bytes change in this ratio (16:8 is FP16 to FP8); for "
          "a machine that also computes faster add --scale kernel=0.5")
      ->type_name("A:B");
  command
      ->add_option("--fuse", arguments->fuse_bytes,
                   "Collectives that follow each other become one, up to so many bytes: 25M")
      ->type_name("SIZE")
      ->transform(size_in_bytes());
  command
      ->add_option("--split", arguments->split_bytes,
                   "Collectives of more bytes become parts of at most so many: 4M")
      ->type_name("SIZE")
      ->transform(size_in_bytes());
  command
      ->add_option("--renumber", arguments->ranks,
                   "New numbers of the ranks, in order; a file of groups must hold these")
      ->delimiter(',')
      ->type_name("N,N,...");
  command->add_option("--repeat", arguments->repeat, "So many copies after each other in one trace")
      ->check(CLI::Range(1U, 10'000U));
  add_shared_option(*command, "--comm-groups", arguments->groups);
  add_json_flag(*command, arguments->json);
  command->footer(
      "Done in this order: slice, scale, precision, fuse, split, renumber, repeat. Nothing is written if the "
      "result\n"
      "could not be run, or if an option changes nothing.\n"
      "Examples:\n"
      "  wafertlm trace edit traces/job --precision 16:8 --scale kernel=0.5 --out traces/fp8\n"
      "  wafertlm trace edit traces/job --fuse 25M --out traces/buckets");
  return [=] { return command->parsed() ? edit_traces(*arguments) : -1; };
}

}  // namespace wafertlm
