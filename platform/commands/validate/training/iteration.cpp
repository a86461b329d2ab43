// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/validate/training/iteration.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "workloads/training/pipeline.h"

namespace wafertlm::validate::steps {
namespace {

using training::Pass;

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Adam: gradient read, three FP32 states read and written, a parameter written.
constexpr double kOptimizerBytes = 4 + 3 * 8 + 2;

/// Consecutive layers that go through a rank together.
struct Chunk {
  PassTime time;
  double layers = 0, gather = 0, scatter = 0;  // the last two: seconds
  double in_attention = 0;                     // part of these for the attentions' parameters
};

class Job {
 public:
  Job(const JobSetup& setup, double sustained, bool has_data_parallelism)
      : setup_(setup), has_data_(has_data_parallelism) {
    const LayerTime layer(setup, sustained);
    attention_ = layer.attention();
    const std::uint64_t all = setup.pipeline * setup.chunks;
    const PassTime plain = layer.plain(), head = layer.head();
    const PassTime mixture = setup.model.is_mixture() ? layer.mixture() : PassTime();
    const bool counts_ends = setup.model.layers % all != 0 && (setup.model.layers + 2) % all == 0;
    const std::uint64_t ends = counts_ends ? 1 : 0, units = setup.model.layers + 2 * ends;
    for (std::uint64_t c = 0; c < all; ++c) {
      const std::uint64_t from = std::max(units * c / all, ends),
                          to = std::min(units * (c + 1) / all, units - ends);
      Chunk chunk;
      double parameters = 0, expert_parameters = 0;
      for (std::uint64_t unit = from; unit < to; ++unit) {
        const bool is_mixture = setup.model.is_mixture() && unit - ends >= setup.model.experts.dense_layers;
        chunk.time += is_mixture ? mixture : plain;
        chunk.layers += 1;
        parameters += is_mixture ? setup.model.shared_parameters()
                                 : setup.model.attention_parameters() + setup.model.mlp_parameters();
        if (is_mixture)
          expert_parameters +=
              static_cast<double>(setup.model.experts.count) * setup.model.expert_parameters();
      }
      if (c == 0) parameters += setup.model.embedding_parameters();
      if (c + 1 == all) {
        chunk.time += head;
        if (!setup.model.tied || all > 1) parameters += setup.model.embedding_parameters();
      }
      share(chunk, parameters, expert_parameters);
      chunks_.push_back(chunk);
    }
  }

  Iteration run() {
    Iteration iteration;
    for (std::uint64_t stage = 0; stage < setup_.pipeline; ++stage) {
      PassTime work;
      for (std::uint64_t c = stage; c < chunks_.size(); c += setup_.pipeline) work += chunks_[c].time;
      work = work * static_cast<double>(setup_.microbatches);
      if (work.forward + work.backward <= iteration.busiest) continue;
      iteration.busiest = work.forward + work.backward;
      iteration.exposed_layers = work.exposed_tensor + work.exposed_context + work.exposed_experts;
    }
    iteration.time = setup_.is_sharded ? sharded() : pipelined();
    return iteration;
  }

 private:
  /// Seconds to gather or scatter what the chunk's ranks hold of so many parameters.
  void share(Chunk& chunk, double parameters, double expert_parameters) {
    const Chip& chip = setup_.chip;
    const std::uint64_t copies = setup_.data * setup_.context;
    const std::uint64_t expert_copies = std::max<std::uint64_t>(copies * setup_.tensor / setup_.expert, 1);
    const double of_rank = parameters / static_cast<double>(setup_.tensor);
    const double experts_of_rank = expert_parameters / static_cast<double>(setup_.expert);
    optimizer_ +=
        (of_rank / static_cast<double>(copies) + experts_of_rank / static_cast<double>(expert_copies)) *
        kOptimizerBytes / chip.memory / static_cast<double>(setup_.pipeline);
    if (!has_data_) return;
    const auto moved = [&](std::uint64_t ranks, std::uint64_t stride, double held) {
      const auto n = static_cast<double>(ranks);
      return static_cast<double>(chip.devices) * held * (n - 1) / n / group_rate(chip, ranks, stride);
    };
    const double elements =
        moved(copies, setup_.tensor, of_rank) + moved(expert_copies, setup_.expert, experts_of_rank);
    chunk.gather = 2 * elements;
    chunk.scatter = setup_.framework.gradient_bytes * elements;
    if (elements > 0)
      chunk.in_attention =
          chunk.layers * moved(copies, setup_.tensor, setup_.model.attention_parameters()) / elements;
  }

  /// Parameters are gathered for every pass of a layer, beside the computation of the one before; by XLA, in
  /// whose loops over layers a collective is hidden only by its own layer, an MLP's beside the attention.
  double sharded() const {
    double time = 0;
    for (const Chunk& chunk : chunks_) {
      const double layers = std::max(chunk.layers, 1.0);
      const double gather = setup_.element_bytes() / 2 * chunk.gather;
      if (setup_.chip.is_tpu) {
        time += within_layers(chunk, gather);
      } else {
        time += std::max(chunk.time.forward, gather) + gather / layers;
        time += std::max(chunk.time.backward, gather + chunk.scatter) + chunk.scatter / layers;
      }
    }
    return time * static_cast<double>(setup_.microbatches) + optimizer_ + between_slices();
  }
  double within_layers(const Chunk& chunk, double gather) const {
    const PassTime attention = attention_ * chunk.layers;
    const double rest = 1 - chunk.in_attention;
    const double again = setup_.framework.recomputed.attention ? attention.forward : 0;
    const double first = std::max(attention.forward, rest * gather) + chunk.in_attention * gather;
    const double second = std::max(again, rest * gather) + chunk.in_attention * gather;
    const double last =
        std::max(attention.backward - again, rest * chunk.scatter) + chunk.in_attention * chunk.scatter;
    return first + (chunk.time.forward - attention.forward) + second + last +
           (chunk.time.backward - attention.backward);
  }

  /// All-reduce of the gradients' shards over the data centre's network, beside the backward pass of the
  /// rest.
  double between_slices() const {
    if (setup_.slices == 1 || !has_data_) return 0;
    const auto n = static_cast<double>(setup_.slices);
    const double shard = setup_.model.parameters() / static_cast<double>(setup_.ranks) * n;
    const double all = 2 * (n - 1) / n * shard * setup_.framework.gradient_bytes / setup_.chip.scale_out;
    const double backward = chunks_.front().time.backward;
    return std::max(all - backward, all / static_cast<double>(setup_.model.layers));
  }

  double pipelined() {
    const auto stages = static_cast<std::uint32_t>(setup_.pipeline),
               chunks = static_cast<std::uint32_t>(setup_.chunks);
    const auto microbatches = static_cast<std::uint32_t>(setup_.microbatches);
    const bool is_interleaved = chunks > 1 && microbatches % stages == 0;
    if (chunks > 1 && !is_interleaved) return between_multiples();
    const training::Schedule schedule =
        chunks > 1 ? training::Schedule::interleaved : training::Schedule::one_forward_one_backward;
    std::vector<Stage> all(stages);
    for (std::uint32_t s = 0; s < stages; ++s) {
      all[s].order = training::pipeline_order(schedule, stages, s, chunks, microbatches);
      begin(all[s], s);
    }
    const std::size_t cells = chunks_.size() * microbatches;
    forward_.assign(cells, kNever);
    backward_.assign(cells, kNever);
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (std::uint32_t s = 0; s < stages; ++s)
        while (all[s].next < all[s].order.size() && step(all[s], s)) goes_on = true;
    }
    double end = 0;
    for (const Stage& stage : all) end = std::max({end, stage.now, stage.stream});
    return end + optimizer_;
  }

  struct Stage {
    std::vector<Pass> order;
    std::size_t next = 0;
    double now = 0, stream = 0;       // of computation and of data parallelism: free from
    std::vector<double> gathered;     // by chunk
    std::vector<std::uint64_t> left;  // backward passes, by chunk
  };

  /// Parameters come in chunk after chunk.
  void begin(Stage& stage, std::uint32_t s) const {
    for (std::uint64_t c = 0; c < setup_.chunks; ++c) {
      stage.stream += chunks_[c * setup_.pipeline + s].gather;
      stage.gathered.push_back(stage.stream);
      stage.left.push_back(setup_.microbatches);
    }
  }

  /// False: its input is not there yet.
  bool step(Stage& stage, std::uint32_t s) {
    const Pass& pass = stage.order[stage.next];
    const std::size_t c = pass.chunk * setup_.pipeline + s;
    const Chunk& chunk = chunks_[c];
    const double input = input_of(pass, c);
    if (input == kNever) return false;
    const double start = std::max(stage.now, input), layers = std::max(chunk.layers, 1.0);
    if (pass.is_forward) {
      stage.now =
          std::max(start + chunk.time.forward, stage.gathered[pass.chunk] + chunk.time.forward / layers);
      at(forward_, c, pass.microbatch) = stage.now;
    } else {
      stage.now = start + chunk.time.backward;
      at(backward_, c, pass.microbatch) = stage.now;
      if (--stage.left[pass.chunk] == 0) {
        // A layer's gradients leave when the pass is through it.
        const double first = start + chunk.time.backward / layers;
        stage.stream =
            std::max(std::max(stage.stream, first) + chunk.scatter, stage.now + chunk.scatter / layers);
      }
    }
    ++stage.next;
    return true;
  }

  double& at(std::vector<double>& times, std::size_t chunk, std::uint32_t microbatch) const {
    return times[chunk * setup_.microbatches + microbatch];
  }

  double input_of(const Pass& pass, std::size_t c) {
    if (pass.is_forward) return c == 0 ? 0 : at(forward_, c - 1, pass.microbatch) + transfer();
    const double of_loss = at(forward_, c, pass.microbatch);
    return c + 1 == chunks_.size() ? of_loss : at(backward_, c + 1, pass.microbatch) + transfer();
  }

  /// Of a micro-batch's activations to the next stage.
  double transfer() const {
    if (setup_.pipeline == 1) return 0;
    const double bytes = 2 * setup_.tokens_of_rank() * static_cast<double>(setup_.model.hidden) /
                         static_cast<double>(setup_.tensor);
    return bytes / (setup_.ranks <= setup_.chip.domain ? setup_.chip.scale_up : setup_.chip.scale_out);
  }

  /// Interleaved schedules want multiples of the stages: the line through the two next to the micro-batches.
  double between_multiples() {
    JobSetup low = setup_, high = setup_;
    low.microbatches = std::max(setup_.microbatches / setup_.pipeline, std::uint64_t{1}) * setup_.pipeline;
    high.microbatches = low.microbatches + setup_.pipeline;
    const double first = with(low), second = with(high);
    const double part = (static_cast<double>(setup_.microbatches) - static_cast<double>(low.microbatches)) /
                        static_cast<double>(setup_.pipeline);
    return first + part * (second - first);
  }
  double with(const JobSetup& other) {
    Job job(*this);
    job.setup_ = other;
    return job.pipelined();
  }

  JobSetup setup_;
  bool has_data_;
  PassTime attention_;  ///< of a layer
  std::vector<Chunk> chunks_;
  double optimizer_ = 0;
  std::vector<double> forward_, backward_;
};

}  // namespace

Iteration iteration_of(const JobSetup& setup, double sustained) {
  Iteration iteration = Job(setup, sustained, true).run();
  iteration.exposed_data = iteration.time - Job(setup, sustained, false).run().time;
  return iteration;
}

}  // namespace wafertlm::validate::steps
