// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include "platform/run/run_observer.h"
#include "tlm/memory/memory_observer.h"
#include "tlm/packets/link_observer.h"

namespace wafertlm {

/// Several observers behind one; in the order in which they were added.
template <typename Observer>
class Observers : public Observer {
 public:
  void add(Observer& observer) { all_.push_back(&observer); }
  bool empty() const { return all_.empty(); }

 protected:
  std::vector<Observer*> all_;
};

/// Of a run.
class RunObservers final : public Observers<RunObserver> {
 public:
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
};

/// Of links.
class LinkObservers final : public Observers<LinkObserver> {
 public:
  void sent(std::size_t observed, PortId output, const Packet& packet, TimePs start_ps,
            TimePs end_ps) override {
    for (LinkObserver* each : all_) each->sent(observed, output, packet, start_ps, end_ps);
  }
  bool takes_repeats() const override {
    return std::all_of(all_.begin(), all_.end(),
                       [](const LinkObserver* each) { return each->takes_repeats(); });
  }
  void repeated(std::size_t observed, PortId output, const LinkRepeat& repeat) override {
    for (LinkObserver* each : all_) each->repeated(observed, output, repeat);
  }
};

/// Of memories.
class MemoryObservers final : public Observers<MemoryObserver> {
 public:
  void moved(std::size_t observed, bool write, std::uint64_t bytes, TimePs start_ps, TimePs end_ps) override {
    for (MemoryObserver* each : all_) each->moved(observed, write, bytes, start_ps, end_ps);
  }
};

}  // namespace wafertlm
