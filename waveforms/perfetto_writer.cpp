// SPDX-License-Identifier: Apache-2.0
#include "waveforms/perfetto_writer.h"

#include <zlib.h>

#include <cstring>
#include <stdexcept>

namespace wafertlm {
namespace {

constexpr std::size_t kChunkBytes = 256 * 1024, kMostNames = 65'536;
constexpr std::uint64_t kSequence = 1;
enum Event : unsigned { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };
enum Table : unsigned { kCategories, kEvents, kAnnotations };

void varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}
void number(std::string& to, unsigned field, std::uint64_t value) {
  varint(to, std::uint64_t{field} << 3);
  varint(to, value);
}
void fixed64(std::string& to, unsigned field, std::uint64_t value) {
  varint(to, std::uint64_t{field} << 3 | 1);
  for (int i = 0; i < 8; ++i) to += static_cast<char>(value >> (8 * i));
}
void text(std::string& to, unsigned field, const std::string& value) {
  varint(to, std::uint64_t{field} << 3 | 2);
  varint(to, value.size());
  to += value;
}

/// Of a track: its name, and the one that it stands below.
std::string named_below(std::uint64_t parent, const std::string& name) {
  std::string fields;
  text(fields, 2, name);
  number(fields, 5, parent);
  return fields;
}

}  // namespace

PerfettoWriter::PerfettoWriter(const std::string& path)
    : path_(path), worker_([this](const std::string& chunk) { write(chunk); }) {
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

void PerfettoWriter::put(const std::string& packet) {
  text(chunk_, 1, packet);  // Trace.packet
  if (chunk_.size() >= kChunkBytes) worker_.hand_over(chunk_);
}

std::uint64_t PerfettoWriter::intern(unsigned table, const std::string& name) {
  auto& names = names_[table];
  const auto [place, is_new] = names.try_emplace(name, names.size() + 1);
  if (is_new) {
    std::string entry;
    number(entry, 1, place->second);
    text(entry, 2, name);
    text(interned_, table + 1, entry);
  }
  return place->second;
}

/// `fields` of a TrackDescriptor beside its number.
void PerfettoWriter::put_descriptor(Track track, const std::string& fields) {
  std::string descriptor, packet;
  number(descriptor, 1, track);
  descriptor += fields;
  number(packet, 10, kSequence);
  text(packet, 60, descriptor);
  put(packet);
}

PerfettoWriter::Track PerfettoWriter::add_process(const std::string& name) {
  const Track track = next_track_++;
  std::string process, fields;
  number(process, 1, track);  // pid
  text(process, 6, name);
  text(fields, 3, process);
  put_descriptor(track, fields);
  return track;
}

PerfettoWriter::Track PerfettoWriter::add_track(Track process, const std::string& name) {
  const Track track = next_track_++;
  put_descriptor(track, named_below(process, name));
  return track;
}

PerfettoWriter::Track PerfettoWriter::add_counter(Track process, const std::string& name,
                                                  const std::string& unit) {
  const Track track = next_track_++;
  std::string counter, fields = named_below(process, name);
  text(counter, 6, unit);
  text(fields, 8, counter);
  put_descriptor(track, fields);
  return track;
}

/// `event` are the fields of a TrackEvent beside its type and track.
void PerfettoWriter::packet(TimePs at_ps, std::uint64_t track, unsigned type, std::string& event) {
  number(event, 9, type);
  number(event, 11, track);
  body_.clear();
  number(body_, 8, at_ps / 1000);
  number(body_, 10, kSequence);
  text(body_, 11, event);
  if (!interned_.empty()) text(body_, 12, interned_);
  interned_.clear();
  number(body_, 13, has_state_ ? 2 : 3);  // needs the names; the first one also begins them
  has_state_ = true;
  put(body_);
}

void PerfettoWriter::slice(const Slice& slice, const std::vector<Annotation>& annotations) {
  for (auto& names : names_)
    if (names.size() > kMostNames) {  // begin anew rather than grow
      for (auto& each : names_) each.clear();
      has_state_ = false;
    }
  ++slices_;
  event_.clear();
  number(event_, 3, intern(kCategories, *slice.category));
  number(event_, 10, intern(kEvents, *slice.name));
  static const std::string kStart = "start_ps", kDuration = "duration_ps";
  const auto annotate = [this](const std::string& name, std::uint64_t value) {
    std::string annotation;
    number(annotation, 1, intern(kAnnotations, name));
    number(annotation, 3, value);
    text(event_, 4, annotation);
  };
  annotate(kStart, slice.start_ps);
  annotate(kDuration, slice.end_ps - slice.start_ps);
  for (const auto& [name, value] : annotations) annotate(name, value);
  flows_ += (slice.leaves != 0 ? 1 : 0) + (slice.arrives != 0 ? 1 : 0);
  if (slice.leaves != 0) fixed64(event_, 47, slice.leaves);
  packet(slice.start_ps, slice.track, kBegin, event_);
  event_.clear();
  if (slice.arrives != 0) fixed64(event_, 48, slice.arrives);
  packet(slice.end_ps, slice.track, kEnd, event_);
}

void PerfettoWriter::counter(Track track, TimePs at_ps, double value) {
  ++counter_values_;
  event_.clear();
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  fixed64(event_, 44, bits);
  packet(at_ps, track, kCounter, event_);
}

void PerfettoWriter::finish(TimePs end_ps) {
  const Track run = add_process("run");
  event_.clear();
  number(event_, 10, intern(kEvents, "end of trace"));
  for (const auto& [name, value] : {Annotation{"slices", slices_}, Annotation{"flows", flows_},
                                    Annotation{"counters", counter_values_}}) {
    std::string annotation;
    number(annotation, 1, intern(kAnnotations, name));
    number(annotation, 3, value);
    text(event_, 4, annotation);
  }
  packet(end_ps, run, kInstant, event_);
  worker_.hand_over(chunk_);
  worker_.finish();
  const int closed = gzclose(static_cast<gzFile>(file_));
  file_ = nullptr;
  if (closed != Z_OK) fail();
}

}  // namespace wafertlm
