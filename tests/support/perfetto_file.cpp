// SPDX-License-Identifier: Apache-2.0
#include "tests/support/perfetto_file.h"

#include <gtest/gtest.h>
#include <perfetto_trace.pb.h>
#include <zlib.h>

#include <array>

namespace wafertlm::test {
namespace {

using perfetto::TrackEvent;

/// Of a file that is compressed, or not.
std::string whole_text(const std::string& path) {
  std::string text;
  const gzFile file = gzopen(path.c_str(), "rb");
  std::array<char, 65'536> part{};
  for (int bytes = 1; bytes > 0;) {
    bytes = gzread(file, part.data(), static_cast<unsigned>(part.size()));
    if (bytes > 0) text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  gzclose(file);
  return text;
}

using Names = std::map<std::uint64_t, std::string>;

template <typename List>
void note(Names& names, const List& list) {
  for (const auto& entry : list) EXPECT_TRUE(names.emplace(entry.iid(), entry.name()).second) << entry.name();
}

}  // namespace

PerfettoFile::PerfettoFile(const std::string& path) {
  perfetto::Trace trace;
  EXPECT_TRUE(trace.ParseFromString(whole_text(path)));
  std::map<std::uint64_t, std::pair<std::string, std::string>> track_names;  // process and own name
  std::map<std::uint64_t, Slice> open;
  Names categories, names, annotation_names;
  std::uint64_t events = 0;
  for (const perfetto::TracePacket& packet : trace.packet()) {
    EXPECT_EQ(packet.trusted_packet_sequence_id(), 1U);
    if (packet.has_track_descriptor()) {
      const perfetto::TrackDescriptor& track = packet.track_descriptor();
      if (track.has_process()) {
        track_names[track.uuid()].first = track.process().process_name();
        tracks.push_back(track.process().process_name());
      } else {
        const std::string process = track_names.at(track.parent_uuid()).first;
        track_names[track.uuid()] = {process, track.name()};
        tracks.push_back(process + '/' + track.name());
        if (track.has_counter()) tracks.back() += " [" + track.counter().unit_name() + "]";
      }
      continue;
    }
    EXPECT_EQ(packet.sequence_flags() & 2U, 2U) << "it needs the names";
    if ((packet.sequence_flags() & 1U) != 0) {
      categories.clear();
      names.clear();
      annotation_names.clear();
      tables_begun_events.push_back(events);
    }
    ++events;
    note(categories, packet.interned_data().event_categories());
    note(names, packet.interned_data().event_names());
    note(annotation_names, packet.interned_data().debug_annotation_names());
    const TrackEvent& event = packet.track_event();
    const auto& [process, own] = track_names.at(event.track_uuid());
    std::map<std::string, std::uint64_t> annotations;
    for (const auto& each : event.debug_annotations())
      annotations[annotation_names.at(each.name_iid())] = each.uint_value();
    switch (event.type()) {
      case TrackEvent::SLICE_BEGIN: {
        Slice slice{process,
                    own,
                    names.at(event.name_iid()),
                    categories.at(event.category_iids(0)),
                    packet.timestamp(),
                    0,
                    annotations,
                    {},
                    {}};
        slice.leaves.assign(event.flow_ids().begin(), event.flow_ids().end());
        EXPECT_TRUE(open.emplace(event.track_uuid(), slice).second) << "slices of a track overlap";
        break;
      }
      case TrackEvent::SLICE_END: {
        Slice slice = open.extract(event.track_uuid()).mapped();
        slice.end_ns = packet.timestamp();
        slice.arrives.assign(event.terminating_flow_ids().begin(), event.terminating_flow_ids().end());
        slices.push_back(std::move(slice));
        break;
      }
      case TrackEvent::COUNTER:
        counters[own].emplace_back(packet.timestamp(), event.double_counter_value());
        break;
      default:
        EXPECT_EQ(event.type(), TrackEvent::INSTANT);
        EXPECT_EQ(names.at(event.name_iid()), "end of trace");
        EXPECT_TRUE(at_end.empty()) << "it ends once";
        at_end = annotations;
        end_ns = packet.timestamp();
    }
  }
  EXPECT_TRUE(open.empty()) << "a slice has no end";
}

std::string PerfettoFile::Slice::text() const {
  return process + '/' + track + ": " + name + " (" + category + ") " +
         std::to_string(annotations.at("start_ps")) + '+' + std::to_string(annotations.at("duration_ps"));
}

std::vector<std::string> PerfettoFile::slice_texts() const {
  std::vector<std::string> texts;
  for (const Slice& slice : slices) texts.push_back(slice.text());
  return texts;
}

double value_at(const PerfettoFile::Counter& counter, std::uint64_t ns) {
  double value = 0;
  for (const auto& [at, its] : counter)
    if (at <= ns) value = its;
  return value;
}

}  // namespace wafertlm::test
