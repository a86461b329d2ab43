// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// What somebody has seen of an episode, kept with its recording.
class EpisodeSight {
 public:
  virtual ~EpisodeSight() = default;
  virtual std::size_t bytes() const = 0;
};

/// Sees what is simulated, and is told what is played in place of that.
class EpisodeObserver {
 public:
  /// What is seen from now on belongs to an episode that began at `start_ps`.
  virtual void begins(TimePs start_ps) = 0;
  /// What was seen since; null: nothing.
  virtual std::shared_ptr<const EpisodeSight> seen() = 0;
  /// It has happened again, from `start_ps` on.
  virtual void repeated(const EpisodeSight& sight, TimePs start_ps) = 0;

 protected:
  ~EpisodeObserver() = default;
};

}  // namespace wafertlm
