// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/faster_links.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "platform/describe/origins.h"
#include "platform/describe/yaml_writer.h"
#include "platform/host/child.h"
#include "platform/run/last_iteration.h"
#include "platform/spec/load.h"
#include "platform/text/quantity.h"

namespace wafertlm {
namespace {

using config::Node;
constexpr std::uint64_t kMostBytesPerS = 9'000'000'000'000'000;  // of a configuration

std::optional<std::uint64_t> bandwidth_in(const Node& node) {
  if (node.kind != Node::Kind::scalar) return {};
  try {
    return config::parse_bandwidth(node.text);
  } catch (const config::QuantityError&) {
    return {};  // another value
  }
}

/// Of all bandwidths at `node`, whose path is `path`, and below.
void speed_up(Node& node, const std::string& path, std::uint64_t factor, std::vector<std::string>& settings) {
  if (config::is_annotated(node)) return speed_up(*node.find(config::kValueKey), path, factor, settings);
  if (const auto rate = bandwidth_in(node); rate && *rate != 0) {
    const std::uint64_t faster = *rate > kMostBytesPerS / factor ? kMostBytesPerS : *rate * factor;
    node.text = config::format_whole(config::bandwidth_dimension(), std::max(*rate, faster));
    settings.push_back(path + "=" + node.text);
  }
  for (Node::Entry& entry : node.entries) speed_up(entry.value, path + "." + entry.key, factor, settings);
  for (std::size_t k = 0; k < node.items.size(); ++k)
    speed_up(node.items[k], path + "[" + std::to_string(k) + "]", factor, settings);
}

/// A file that is gone with this.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& text)
      : path_((std::filesystem::temp_directory_path() / "wafertlm-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0) throw std::runtime_error("cannot write a file like " + path_);
    close(file);
    std::ofstream(path_) << text;
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

FasterLinks faster_links(Node experiment, std::uint64_t factor) {
  FasterLinks made{std::move(experiment), {}};
  Node* at = &made.experiment;
  for (const char* key : {"platform", "wafer", "fabric"})
    if (at) at = at->find(key);
  if (at) speed_up(*at, "wafer.fabric", factor, made.settings);
  return made;
}

TimePs simulated_iteration_ps(const Node& experiment) {
  const ScratchFile file(config::write_yaml(experiment, {}));
  return run_in_child([&]() -> nlohmann::json {
           config::ExperimentSpec spec = config::load_experiment(file.path());
           // RTL has a clock for the links as they are.
           spec.platform.wafer.fabric.rtl.clear();
           // Nobody would say how far it is off.
           if (spec.platform.run.acceleration == config::Acceleration::sampled)
             spec.platform.run.acceleration = config::Acceleration::exact;
           const IterationResult last = simulated_last_iteration(spec);
           return last.end_ps - last.start_ps;
         })
      .get<TimePs>();
}

}  // namespace wafertlm
