// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tlm/acceleration/recording.h"
#include "tlm/acceleration/rest_record.h"
#include "tlm/kernel/scheduler.h"
#include "tlm/packets/message_matcher.h"
#include "tlm/packets/message_service.h"

namespace wafertlm {

class EpisodeGate;

/// What was played in place of being simulated.
struct EpisodeCounts {
  std::uint64_t recorded = 0;   ///< episodes
  std::uint64_t played = 0;     ///< episodes, to their end
  std::uint64_t abandoned = 0;  ///< that something else came into
  std::uint64_t verified = 0;   ///< that were simulated again and compared
};

/// Plays what has happened before, exactly.
///
/// An *episode* is what endpoints and fabric do from the beginning of an operation, when nothing is under
/// way, until nothing is again. What comes of it depends on what the models kept from before (their state at
/// rest), on the operations that begin in it, and on when they do. It is simulated once, and recorded. When
/// the same operation begins in the same state, the recording is played: operations end at the recorded
/// times, and what begins must be what was recorded, at its time. Something else ends the playing: the models
/// are put back, what has been played is simulated silently, must come to the same, and goes on.
///
/// Receives are passed on when their send begins, and who only waits in a collective when somebody begins it
/// who sends: before that they do nothing.
class Episodes final : private Wakeable, private AfterInstant {
 public:
  using ListRest = std::function<void(StateVisitor&)>;
  /// `list`: what all endpoints and the fabric keep. With a seed a tenth of what would be played, chosen at
  /// random, is simulated instead, and compared.
  Episodes(Scheduler& scheduler, ListRest list, std::optional<std::uint64_t> verify_seed = {});
  ~Episodes();
  Episodes(const Episodes&) = delete;
  Episodes& operator=(const Episodes&) = delete;

  /// Stands between an endpoint and its shell, `listener`.
  EpisodeGate& connect(NpuId npu, Communication& endpoint, MessageListener& listener);
  /// Nothing is played from now on. Before the simulation starts.
  void switch_off(const std::string& because) { off_because_ = because; }
  /// Empty: nothing forbids it.
  const std::string& off_because() const { return off_because_; }
  /// At most one, before the simulation starts.
  void observe(EpisodeObserver& observer) { observer_ = &observer; }
  /// Brings the models up to date; receives that wait are passed on.
  void settle();
  const EpisodeCounts& counts() const { return counts_; }

 private:
  friend EpisodeGate;
  /// A receive or a send whose other side has not come yet.
  struct Unmatched {
    std::uint64_t token = 0;   // of a receive
    std::uint32_t number = 0;  // of a send
    bool is_send = false;
  };
  using Matcher = MessageMatcher<Unmatched>;
  /// As it was asked for.
  struct Operation {
    EpisodeInput::Kind kind;
    NpuId at;
    CollectiveStart collective = {};  // its token is that of any kind
    NpuId peer{};
    std::uint64_t tag = 0, bytes = 0;
    std::vector<CollectiveStart> waiting = {};  // of those who had begun and only waited for this one,
    std::vector<NpuId> waiting_at = {};         // ascending
    std::uint32_t sent_as = 0;                  // number of a receive's send
    TimePs at_ps = 0;
    std::uint64_t event = 0;   // number of the wake-up in which it was asked for
    std::uint32_t number = 0;  // in its episode; those that waited have the next ones
  };
  struct Numbered {
    std::uint64_t id;
    std::uint32_t number;
    bool operator<(const Numbered& other) const { return id < other.id; }
  };

  void collective(Operation operation, TimePs now);
  bool only_waits(const StepSource& program);
  void send(Operation operation, TimePs now);
  void receive(Operation operation, TimePs now);
  void begin(Operation operation, TimePs now);
  void done(NpuId at, std::uint64_t token);
  EpisodeInput describe(const Operation& operation, TimePs now);
  void perform(const Operation& operation, TimePs now);
  void end(std::uint32_t number);
  bool is_quiet() const { return under_way_ == 0 && unclaimed_ == 0; }
  void next_episode(TimePs now);
  bool go_on_playing(TimePs now);
  void close_recording(const RestRecord& rest, std::uint32_t state, TimePs now);
  void start_at(std::uint32_t state, TimePs now);
  void count_played();
  std::uint32_t number_of(const std::vector<std::uint64_t>& values);
  void forget_recordings();
  bool may_list() const;
  const RestRecord& list(TimePs now);
  void go_live(TimePs now);
  void plan(TimePs now);
  void play(TimePs now);
  void wake(std::uint32_t what, TimePs now) override;
  void after_instant(TimePs now) override;
  [[noreturn]] void differs(const char* what, std::uint64_t expected, std::uint64_t found) const;

  Scheduler& scheduler_;
  const ListRest list_;
  std::optional<std::mt19937_64> verify_;
  EpisodeObserver* observer_ = nullptr;
  std::string off_because_;
  std::vector<std::unique_ptr<EpisodeGate>> gates_;  // by endpoint
  std::uint64_t unclaimed_ = 0;                      // sends without a receive
  // Collectives: who only waits, and those that somebody has begun who does not.
  std::map<std::uint64_t, std::map<NpuId, CollectiveStart>> waiting_;
  std::set<std::uint64_t> begun_;
  std::unordered_map<const StepSource*, bool> only_waits_;  // that were looked at
  std::uint64_t under_way_ = 0;
  // States at rest, and the episodes that begin with them.
  std::vector<std::vector<std::uint64_t>> states_;
  std::multimap<std::uint64_t, std::uint32_t> state_numbers_;  // by hash
  std::vector<std::unique_ptr<EpisodeNode>> roots_;            // by state
  // The episode.
  EpisodeNode* node_ = nullptr;  // the last input's; null: it is not recorded
  std::uint32_t state_ = 0;      // that it began in,
  TimePs start_ps_ = 0;          // when,
  RestRecord before_;            // and the counts then; not while it is played
  std::uint64_t events_before_ = 0;
  TimePs last_end_ps_ = 0;  // of an operation
  std::vector<Operation> log_;
  std::uint32_t operations_ = 0;
  std::vector<Numbered> collectives_, tags_;  // in the order of their numbers
  std::vector<EpisodeOutput> delivered_;
  std::vector<std::pair<NpuId, std::uint64_t>> tokens_;  // by operation
  std::size_t seen_ = 0;                                 // outputs of node_
  bool is_playing_ = false, is_verifying_ = false;
  TimePs planned_ps_ = kNever;
  std::optional<std::size_t> silent_;  // outputs that have come again, while it catches up
  std::vector<std::uint64_t> growth_;  // of counts that the models do not know of yet
  // What it costs.
  std::uint64_t listed_ = 0, saved_events_ = 0;
  std::size_t bytes_ = 0;  // of states and recordings
  RestRecord rest_;
  EpisodeCounts counts_;
};

/// One endpoint's.
class EpisodeGate final : public Communication, public MessageListener {
 public:
  EpisodeGate(Episodes& episodes, NpuId npu, Communication& endpoint, MessageListener& listener)
      : episodes_(episodes), npu_(npu), endpoint_(endpoint), listener_(listener) {}

  void start_collective(const CollectiveStart& start, TimePs now) override;
  void start_send(NpuId peer, std::uint64_t tag, std::uint64_t bytes, ClassId traffic_class,
                  std::uint64_t token, TimePs now) override;
  void start_receive(NpuId peer, std::uint64_t tag, std::uint64_t token, TimePs now) override;
  std::vector<std::string> pending() const override { return endpoint_.pending(); }
  std::uint64_t early_bytes_high_water() const override { return endpoint_.early_bytes_high_water(); }
  /// From the endpoint.
  void communication_done(std::uint64_t token) override { episodes_.done(npu_, token); }

 private:
  friend Episodes;
  Episodes& episodes_;
  NpuId npu_;
  Communication& endpoint_;
  MessageListener& listener_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // of what the endpoint has, by token
  Episodes::Matcher messages_;                                // to it, that are not matched yet
};

}  // namespace wafertlm
