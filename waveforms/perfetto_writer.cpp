// SPDX-License-Identifier: Apache-2.0
#include "waveforms/perfetto_writer.h"

#include <perfetto_trace.pb.h>
#include <zlib.h>

#include <stdexcept>
#include <unordered_map>

namespace wafertlm {
namespace {

using perfetto::InternedData;
using perfetto::TracePacket;
using perfetto::TrackDescriptor;
using perfetto::TrackEvent;

constexpr std::size_t kChunkBytes = 256 * 1024, kMaxNames = 65'536;
constexpr int kMaxPackets = 256;
constexpr std::uint32_t kSequence = 1;

/// Names that events refer to by number.
class NameTable {
 public:
  explicit NameTable(perfetto::Name* (InternedData::*add)()) : add_(add) {}
  /// The number of `name`; a new one is told with this packet.
  std::uint64_t number(const std::string& name, TracePacket& packet) {
    const auto [known, is_new] = numbers_.try_emplace(name, numbers_.size() + 1);
    if (is_new) {
      perfetto::Name& entry = *(packet.mutable_interned_data()->*add_)();
      entry.set_iid(known->second);
      entry.set_name(name);
    }
    return known->second;
  }
  std::size_t size() const { return numbers_.size(); }
  void clear() { numbers_.clear(); }

 private:
  perfetto::Name* (InternedData::*add_)();
  std::unordered_map<std::string, std::uint64_t> numbers_;
};

}  // namespace

/// The packets that are not in the file yet. A trace is a sequence of them, so that it can be written in
/// pieces.
struct PerfettoWriter::Packets {
  perfetto::Trace trace;
  std::string chunk;  // packets before those of `trace`, as they are in the file
  TracePacket* last = nullptr;
  NameTable categories{&InternedData::add_event_categories}, events{&InternedData::add_event_names},
      annotations{&InternedData::add_debug_annotation_names};
  bool has_names = false;  // those of the tables hold

  void serialize() {
    trace.AppendToString(&chunk);
    trace.Clear();
  }
  TracePacket& add(Worker<std::string>& worker) {
    if (trace.packet_size() == kMaxPackets) serialize();
    if (chunk.size() >= kChunkBytes) worker.hand_over(chunk);
    last = trace.add_packet();
    last->set_trusted_packet_sequence_id(kSequence);
    return *last;
  }
  /// Begins the tables anew rather than let them grow.
  void limit_names() {
    if (categories.size() <= kMaxNames && events.size() <= kMaxNames && annotations.size() <= kMaxNames)
      return;
    for (NameTable* names : {&categories, &events, &annotations}) names->clear();
    has_names = false;
  }
  TrackEvent& event() { return *last->mutable_track_event(); }
};

PerfettoWriter::PerfettoWriter(const std::string& path)
    : path_(path),
      worker_([this](const std::string& chunk) { write(chunk); }),
      packets_(std::make_unique<Packets>()) {
  const bool zip = path.size() > 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
  file_ = gzopen(path.c_str(), zip ? "wb1" : "wbT");
  if (!file_) throw std::invalid_argument("cannot write the trace " + path);
}

PerfettoWriter::~PerfettoWriter() {
  if (!file_) return;
  try {
    worker_.finish();
  } catch (const std::exception&) {  // the run has failed for a reason of its own, which is told
  }
  gzclose(static_cast<gzFile>(file_));
}

void PerfettoWriter::write(const std::string& chunk) {
  const auto bytes = static_cast<unsigned>(chunk.size());
  if (gzwrite(static_cast<gzFile>(file_), chunk.data(), bytes) != static_cast<int>(bytes)) fail();
}

void PerfettoWriter::fail() const {
  throw std::runtime_error("cannot write the trace " + path_ + "; is the disk full?");
}

PerfettoWriter::Track PerfettoWriter::add_process(const std::string& name) {
  const Track track = next_track_++;
  TrackDescriptor& descriptor = *packets_->add(worker_).mutable_track_descriptor();
  descriptor.set_uuid(track);
  descriptor.mutable_process()->set_pid(static_cast<std::int32_t>(track));
  descriptor.mutable_process()->set_process_name(name);
  return track;
}

PerfettoWriter::Track PerfettoWriter::add_track(Track process, const std::string& name) {
  const Track track = next_track_++;
  TrackDescriptor& descriptor = *packets_->add(worker_).mutable_track_descriptor();
  descriptor.set_uuid(track);
  descriptor.set_name(name);
  descriptor.set_parent_uuid(process);
  return track;
}

PerfettoWriter::Track PerfettoWriter::add_counter(Track process, const std::string& name,
                                                  const std::string& unit) {
  const Track track = add_track(process, name);
  packets_->last->mutable_track_descriptor()->mutable_counter()->set_unit_name(unit);
  return track;
}

/// Adds a packet with an event, whose other fields the caller sets.
void PerfettoWriter::track_event(TimePs at_ps, Track track, int type) {
  TracePacket& packet = packets_->add(worker_);
  packet.set_timestamp(at_ps / 1000);
  packet.set_sequence_flags(packets_->has_names ? 2 : 3);  // needs the names; the first one also begins them
  packets_->has_names = true;
  TrackEvent& event = packets_->event();
  event.set_type(static_cast<TrackEvent::Type>(type));
  event.set_track_uuid(track);
}

void PerfettoWriter::annotate(const char* name, std::uint64_t value) {
  perfetto::DebugAnnotation& annotation = *packets_->event().add_debug_annotations();
  annotation.set_name_iid(packets_->annotations.number(name, *packets_->last));
  annotation.set_uint_value(value);
}

void PerfettoWriter::slice(const Slice& slice, const std::vector<Annotation>& annotations) {
  packets_->limit_names();
  ++slices_;
  track_event(slice.start_ps, slice.track, TrackEvent::SLICE_BEGIN);
  packets_->event().add_category_iids(packets_->categories.number(*slice.category, *packets_->last));
  packets_->event().set_name_iid(packets_->events.number(*slice.name, *packets_->last));
  annotate("start_ps", slice.start_ps);
  annotate("duration_ps", slice.end_ps - slice.start_ps);
  for (const auto& [name, value] : annotations) annotate(name, value);
  flows_ += (slice.leaves != 0 ? 1 : 0) + (slice.arrives != 0 ? 1 : 0);
  if (slice.leaves != 0) packets_->event().add_flow_ids(slice.leaves);
  track_event(slice.end_ps, slice.track, TrackEvent::SLICE_END);
  if (slice.arrives != 0) packets_->event().add_terminating_flow_ids(slice.arrives);
}

void PerfettoWriter::counter(Track track, TimePs at_ps, double value) {
  ++counter_values_;
  track_event(at_ps, track, TrackEvent::COUNTER);
  packets_->event().set_double_counter_value(value);
}

void PerfettoWriter::finish(TimePs end_ps) {
  track_event(end_ps, add_process("run"), TrackEvent::INSTANT);
  packets_->event().set_name_iid(packets_->events.number("end of trace", *packets_->last));
  annotate("slices", slices_);
  annotate("flows", flows_);
  annotate("counters", counter_values_);
  packets_->serialize();
  worker_.hand_over(packets_->chunk);
  worker_.finish();
  const int closed = gzclose(static_cast<gzFile>(file_));
  file_ = nullptr;
  if (closed != Z_OK) fail();
}

}  // namespace wafertlm
