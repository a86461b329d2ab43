// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace wafertlm {

// Each adds a command to the program; the function it returns runs it and gives the exit code: 0 done, 1 the
// run failed, 2 bad input (one line on stderr).

std::function<int()> add_run_command(CLI::App& app);
std::function<int()> add_collective_command(CLI::App& app);
/// `wafertlm synthesize`: a collective for a fabric as a file.
std::function<int()> add_synthesize_command(CLI::App& app);
std::function<int()> add_traffic_command(CLI::App& app);
std::function<int()> add_check_command(CLI::App& app);
std::function<int()> add_schema_command(CLI::App& app);
/// `wafertlm trace info|check|convert|import|export|stats|edit|obfuscate|diff`
std::function<int()> add_trace_command(CLI::App& app);
/// `wafertlm workload generate|show`
std::function<int()> add_workload_command(CLI::App& app);
std::function<int()> add_fred_command(CLI::App& app);
std::function<int()> add_study_command(CLI::App& app);
/// `wafertlm libra`: the analytic model of LIBRA, with its files.
std::function<int()> add_libra_command(CLI::App& app);
/// `wafertlm optimize`: the best values of keys, every candidate simulated.
std::function<int()> add_optimize_command(CLI::App& app);
/// `wafertlm comet`: memory, network, compute and parallelism of a transformer together.
std::function<int()> add_comet_command(CLI::App& app);
/// `wafertlm pipeline`: layers in stages on unequal chiplets.
std::function<int()> add_pipeline_command(CLI::App& app);
/// `wafertlm partition`: a trained network over workers.
std::function<int()> add_partition_command(CLI::App& app);
std::function<int()> add_compare_command(CLI::App& app);
std::function<int()> add_explain_command(CLI::App& app);
/// `wafertlm astra-sim`: a run from ASTRA-sim's files, with its option names.
std::function<int()> add_astra_sim_command(CLI::App& app);
/// `wafertlm convert astra-sim`: the same files as our YAML.
std::function<int()> add_convert_command(CLI::App& app);
/// Prints what each way of protecting remote memory costs.
std::function<int()> add_memory_engine_command(CLI::App& app);
std::function<int()> add_memory_command(CLI::App& app);
/// `wafertlm presets`: what `preset_or_file()` (cli/presets.h) finds by name.
std::function<int()> add_presets_command(CLI::App& app);
/// `wafertlm new`: a commented file to start from.
std::function<int()> add_new_command(CLI::App& app);
/// Scripts and pages made from the definitions of all commands in `app`.
std::function<int()> add_completion_command(CLI::App& app);
std::function<int()> add_man_command(CLI::App& app);
/// What RTL designs there are, and recordings into one without a wafer around it.
std::function<int()> add_rtl_command(CLI::App& app);

}  // namespace wafertlm
