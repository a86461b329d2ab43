// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platform/run/run_observer.h"

namespace wafertlm {

/// The operations of every rank and what its time went into, for the report's timeline. It keeps a bounded
/// number of each: the longest operations, and of the others of a kind and class, next to each other, how
/// many they were and their time; stretches of time become one with their neighbours and keep their parts. So
/// numbers and sums stay exact.
class Timeline final : public RunObserver {
 public:
  static constexpr std::size_t kMaxSpans = 120'000;
  explicit Timeline(std::size_t most = kMaxSpans) : most_(most) {}

  void operation_started(std::uint32_t rank, const Task& task, TimePs now) override;
  void operation_ended(std::uint32_t rank, const Task& task, TimePs start_ps, TimePs end_ps) override;
  void time_spent(std::uint32_t rank, TimePs from_ps, TimePs to_ps, const std::string& category) override;

  /// {strings, operations: [[rank, kind, name, class, issued_ps, start_ps, end_ps, bytes, node, group or -1,
  /// number or peer]], short: [[rank, kind, class, from_ps, to_ps, time_ps, how many]], spent: [[rank,
  /// from_ps, to_ps, category or [[category, ps], ...]]], spent_resolution_ps}; kind, name, class, group and
  /// category are places in `strings`. A stretch with several categories is no longer than
  /// spent_resolution_ps.
  nlohmann::ordered_json json();

 private:
  struct Entry {
    std::uint32_t rank;
    Task::Kind kind;
    std::uint32_t name, traffic_class, group;
    TimePs issued_ps, start_ps, end_ps;
    std::uint64_t bytes, node, number;
    TimePs time() const { return end_ps - start_ps; }
  };
  struct Stretch {
    std::uint32_t rank;
    TimePs from_ps, to_ps;
    std::uint32_t category;
    std::vector<std::pair<std::uint32_t, TimePs>> parts = {};  // of several categories; empty: of one

    void add(const Stretch& next);
  };
  /// Short operations of a kind and class; times of those at the same time count each.
  struct Short {
    std::uint32_t rank;
    Task::Kind kind;
    std::uint32_t traffic_class;
    TimePs from_ps, to_ps, time_ps;
    std::uint64_t count;
  };
  std::uint32_t intern(const std::string& text);
  void thin_operations();
  void merge_short();
  /// In order, and as few as may be kept: those that are shorter than a resolution and lie in the same part
  /// of it become one.
  void merge_spent();

  std::size_t most_;
  std::vector<std::string> strings_;
  std::unordered_map<std::string, std::uint32_t> places_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, TimePs> open_;  // by rank and node: when it was issued
  std::vector<Entry> operations_;
  std::vector<Stretch> spent_;
  std::vector<Short> short_;
  TimePs short_resolution_ps_ = 0;
  TimePs resolution_ps_ = 0;  // of stretches; 0: all are kept
};

}  // namespace wafertlm
