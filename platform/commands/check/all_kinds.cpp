// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/check/all_kinds.h"

#include <utility>

#include "platform/commands/check/elaboration.h"
#include "platform/commands/comet/cluster.h"
#include "platform/commands/goodput/long_run.h"
#include "platform/commands/optimize/spec.h"
#include "platform/commands/partition/inputs.h"
#include "platform/commands/pipeline/inputs.h"
#include "platform/commands/precision/inputs.h"
#include "platform/commands/study/study_command.h"
#include "platform/commands/trace/class_file.h"
#include "platform/commands/tune/input_types.h"
#include "platform/commands/validate/rows_file.h"
#include "platform/commands/validate/systems.h"
#include "platform/commands/validate/training/model_shapes.h"
#include "platform/defects/defect_model.h"
#include "platform/fabrics/graph/graph_kind.h"
#include "platform/run/table_file.h"
#include "platform/spec/file_kinds.h"

namespace wafertlm {

const std::vector<config::FileKind>& all_file_kinds() {
  static const std::vector<config::FileKind> all = [] {
    std::vector<config::FileKind> kinds = config::spec_file_kinds();
    for (config::FileKind& kind : std::vector<config::FileKind>{
             experiment_file_kind(), platform_file_kind(), study_file_kind(), config::graph_file_kind(),
             tuning_table_file_kind(), comet::cluster_file_kind(), pipelines::pipeline_file_kind(),
             partition::partition_file_kind(), optimize::optimize_file_kind(), tune::tune_file_kind(),
             precision::precision_file_kind(), wafer_yield::yield_file_kind(), goodput::goodput_file_kind(),
             class_file_kind(), validate::systems_file_kind(), validate::measurements_file_kind(),
             validate::steps::shapes_file_kind()})
      config::add_kind(kinds, std::move(kind));
    return kinds;
  }();
  return all;
}

}  // namespace wafertlm
