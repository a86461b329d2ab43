// SPDX-License-Identifier: Apache-2.0
// Traces of PyTorch, as `trace import` reads them: a Kineto trace alone, and an execution trace beside a
// fixed one.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/targets.h"
#include "workloads/chakra/validate.h"
#include "workloads/pytorch/job_import.h"

namespace wafertlm::fuzz {
namespace {

constexpr const char* kTimeline =
    R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": 1, "dur": 9},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 2, "dur": 1, "args": {"correlation": 5}},
{"ph": "X", "cat": "kernel", "name": "ncclKernel_SendRecv", "pid": 0, "tid": 7, "ts": 4, "dur": 3, "args": {"correlation": 5}}]})";

/// What is accepted becomes nodes of which each parent comes before its child, and that a run would check.
void import(const pytorch::RankFiles& files) {
  pytorch::ImportOptions options;
  options.most_unlinked = 1;
  const auto job = accepted([&] { return pytorch::import_job({files}, options); });
  if (!job) return;
  pytorch::GraphSource source(job->ranks.front());
  std::uint64_t last = 0;
  for (chakra::Node node; source.next(node);) {
    require(node.id == last + 1, "an id is left out");
    last = node.id;
    for (const std::uint64_t parent : node.data_deps)
      require(parent != 0 && parent < node.id, "a parent comes after its child");
  }
  const auto groups = accepted([&] { return chakra::CommGroups::from_map(job->groups, job->world_size); });
  if (groups) accepted([&] { return chakra::validate(source, job->ranks.front().rank, *groups); });
}

}  // namespace

void kineto(const std::string& input) { import({write("kineto.json", input), ""}); }

void pytorch_et(const std::string& input) {
  import({write("kineto.json", kTimeline), write("et.json", input)});
}

}  // namespace wafertlm::fuzz
