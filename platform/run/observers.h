// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "platform/run/run_observer.h"
#include "tlm/link/link_observer.h"
#include "tlm/memory/memory_observer.h"

namespace wafertlm {

/// Several observers of a run behind one; in the order in which they were added.
class RunObservers final : public RunObserver {
 public:
  void add(RunObserver& observer) { all_.push_back(&observer); }
  bool empty() const { return all_.empty(); }

  void operation_started(std::uint32_t rank, const Task& task, TimePs now) override {
    for (RunObserver* each : all_) each->operation_started(rank, task, now);
  }
  void operation_ended(std::uint32_t rank, const Task& task, TimePs start_ps, TimePs end_ps) override {
    for (RunObserver* each : all_) each->operation_ended(rank, task, start_ps, end_ps);
  }
  void collective_ended(const CollectiveRecord& record) override {
    for (RunObserver* each : all_) each->collective_ended(record);
  }
  void time_spent(std::uint32_t rank, TimePs from_ps, TimePs to_ps, const std::string& category) override {
    for (RunObserver* each : all_) each->time_spent(rank, from_ps, to_ps, category);
  }

 private:
  std::vector<RunObserver*> all_;
};

/// The same of links.
class LinkObservers final : public LinkObserver {
 public:
  void add(LinkObserver& observer) { all_.push_back(&observer); }
  bool empty() const { return all_.empty(); }
  void sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
            TimePs end_ps) override {
    for (LinkObserver* each : all_) each->sent(observed, output, packet, start_ps, end_ps);
  }

 private:
  std::vector<LinkObserver*> all_;
};

/// The same of memories.
class MemoryObservers final : public MemoryObserver {
 public:
  void add(MemoryObserver& observer) { all_.push_back(&observer); }
  bool empty() const { return all_.empty(); }
  void moved(std::size_t observed, bool write, std::uint64_t bytes, TimePs start_ps, TimePs end_ps) override {
    for (MemoryObserver* each : all_) each->moved(observed, write, bytes, start_ps, end_ps);
  }

 private:
  std::vector<MemoryObserver*> all_;
};

}  // namespace wafertlm
