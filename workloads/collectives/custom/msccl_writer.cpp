// SPDX-License-Identifier: Apache-2.0
#include <tinyxml2.h>

#include "workloads/collectives/custom/writers.h"

namespace wafertlm {
namespace {

int peer_of(std::uint32_t rank) {
  return rank == ChunkedProgram::Thread::kNobody ? -1 : static_cast<int>(rank);
}

const char* coll_of(CollectiveType type) {
  if (type == CollectiveType::all_gather) return "allgather";
  return type == CollectiveType::reduce_scatter ? "reduce_scatter" : "allreduce";
}

/// "s", "r" and "rrc" work in place: an all-gather on its output, the others on their input.
void push_step(tinyxml2::XMLPrinter& out, const ChunkedProgram::ChunkStep& step, std::size_t number,
               const char* buffer) {
  out.OpenElement("step");
  out.PushAttribute("s", static_cast<unsigned>(number));
  out.PushAttribute("type", step.kind == Step::Kind::send   ? "s"
                            : step.kind == Step::Kind::copy ? "r"
                                                            : "rrc");
  for (const auto& [name, offset] : {std::pair("srcbuf", "srcoff"), std::pair("dstbuf", "dstoff")}) {
    out.PushAttribute(name, buffer);
    out.PushAttribute(offset, step.first_chunk);
  }
  out.PushAttribute("cnt", step.chunks);
  const bool waits = step.after_thread != Step::kNone;
  out.PushAttribute("depid", waits ? static_cast<int>(step.after_thread) : -1);
  out.PushAttribute("deps", waits ? static_cast<int>(step.after_step) : -1);
  out.PushAttribute("hasdep", step.is_awaited ? 1 : 0);
  out.CloseElement();
}

}  // namespace

std::string msccl_text(const ChunkedProgram& program, const std::string& name) {
  const auto ranks = static_cast<unsigned>(program.ranks.size());
  const bool gathers = program.type == CollectiveType::all_gather;
  const unsigned block = program.chunks / ranks;
  tinyxml2::XMLPrinter out;
  out.OpenElement("algo");
  out.PushAttribute("name", name.c_str());
  out.PushAttribute("proto", "Simple");
  out.PushAttribute("nchannels", 1);
  out.PushAttribute("nchunksperloop", program.chunks);
  out.PushAttribute("ngpus", ranks);
  out.PushAttribute("coll", coll_of(program.type));
  out.PushAttribute("inplace", 1);
  out.PushAttribute("outofplace", 0);
  out.PushAttribute("minBytes", 0);
  out.PushAttribute("maxBytes", 0);
  for (unsigned rank = 0; rank < ranks; ++rank) {
    out.OpenElement("gpu");
    out.PushAttribute("id", rank);
    out.PushAttribute("i_chunks", gathers ? block : program.chunks);
    out.PushAttribute("o_chunks", program.type == CollectiveType::reduce_scatter ? block : program.chunks);
    out.PushAttribute("s_chunks", 0);
    for (std::size_t number = 0; number < program.ranks[rank].size(); ++number) {
      const ChunkedProgram::Thread& thread = program.ranks[rank][number];
      out.OpenElement("tb");
      out.PushAttribute("id", static_cast<unsigned>(number));
      out.PushAttribute("send", peer_of(thread.to));
      out.PushAttribute("recv", peer_of(thread.from));
      out.PushAttribute("chan", 0);
      for (std::size_t step = 0; step < thread.steps.size(); ++step)
        push_step(out, thread.steps[step], step, gathers ? "o" : "i");
      out.CloseElement();
    }
    out.CloseElement();
  }
  out.CloseElement();
  return out.CStr();
}

}  // namespace wafertlm
