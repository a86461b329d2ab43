// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/recording.h"

#include <sstream>
#include <stdexcept>

#include "tlm/input/file.h"

namespace wafertlm {
namespace {

constexpr const char* kMagic = "wafertlm-rtl-recording 2";

void write_data(std::ostream& file, const std::vector<std::byte>& data) {
  if (data.empty()) return;
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text(data.size() * 2, '0');
  for (std::size_t i = 0; i < data.size(); ++i) {
    text[2 * i] = kDigits[std::to_integer<unsigned>(data[i]) >> 4];
    text[2 * i + 1] = kDigits[std::to_integer<unsigned>(data[i]) & 15];
  }
  file << ' ' << text;
}

void write_origin(std::ostream& file, const RtlOrigin& origin) {
  const auto npu = [](std::uint32_t number) {
    return number == RtlOrigin::kNobody ? std::string("-") : std::to_string(number);
  };
  file << " from " << npu(origin.source) << ' ' << npu(origin.destination) << ' ' << origin.collective << ' '
       << origin.step << ' ' << origin.packet;
}

/// What follows the word "from".
bool read_origin(std::istream& in, RtlOrigin& origin) {
  const auto npu = [&](std::uint32_t& number) {
    if ((in >> std::ws).peek() == '-')
      in.get();
    else
      in >> number;
  };
  npu(origin.source);
  npu(origin.destination);
  in >> origin.collective >> origin.step >> origin.packet;
  return !in.fail();
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

template <class T>
void write_list(std::ostream& file, const char* name, const std::vector<T>& list) {
  file << ' ' << name << ' ' << list.size();
  for (const auto& each : list) file << ' ' << each;
}

}  // namespace

RtlRecorder::RtlRecorder(const std::string& path) : path_(path), file_(path) {
  if (!file_) throw std::runtime_error("the recording " + path + " cannot be written");
}

void RtlRecorder::begin(const RtlRecordingHead& head) {
  file_ << kMagic << "\nswitch " << head.switch_name << " ports " << head.ports << " channels "
        << head.channels << " flit_bytes " << head.flit_bytes << " clock_hz " << head.clock_hz
        << " tolerance ";
  if (head.tolerance)
    file_ << *head.tolerance;
  else
    file_ << '-';
  const RtlModelFacts& model = head.model;
  file_ << "\nmodel pipeline_ps " << model.pipeline_ps << " link_bytes_per_s " << model.link_bytes_per_s
        << " flit_bytes " << model.flit_bytes << " payload_bytes " << model.payload_bytes << " wire_bytes "
        << model.wire_bytes << " input_bytes " << model.input_bytes << " queue " << to_string(model.queue)
        << " credit_delay_ps " << model.credit_delay_ps << " start_interval_ps " << model.start_interval_ps;
  file_ << "\nrooms";
  for (const std::uint32_t room : head.rooms) file_ << ' ' << room;
  file_ << '\n';
}

void RtlRecorder::write(const RtlEvent& event) {
  const auto is_known = [](const RtlEvent& of) { return !of.flit_times || of.flit_times->tail_ps != kNever; };
  while (!due_.empty() && is_known(due_.front())) put_due();
  if (due_.empty() && is_known(event))
    put(event);
  else
    due_.push_back(event);
}

void RtlRecorder::put_due() {
  put(due_.front());
  due_.pop_front();
}

void RtlRecorder::put(const RtlEvent& event) {
  switch (event.kind) {
    case RtlEvent::Kind::open: {
      const RtlEntry& entry = event.entry;
      file_ << "open " << event.now_ps << ' ' << entry.number << ' ' << entry.channel << ' ' << entry.priority
            << ' ' << to_string(entry.data_type) << ' ' << entry.first << ' ' << entry.packets << ' '
            << entry.from_above;
      write_list(file_, "inputs", entry.inputs);
      write_list(file_, "outputs", entry.outputs);
      file_ << " order " << entry.order.size();
      for (const Addition& addition : entry.order) file_ << ' ' << addition.into << ' ' << addition.from;
      break;
    }
    case RtlEvent::Kind::arrive:
      file_ << "arrive " << event.now_ps << ' ' << event.port << ' ' << event.channel << ' ' << event.flow
            << ' ' << event.sequence << ' ' << event.bytes << ' ' << event.flits << ' ' << event.head_ps
            << ' ' << (event.flit_times ? event.flit_times->tail_ps : event.tail_ps);
      if (event.flit_times) write_list(file_, "flits", event.flit_times->at_ps);
      if (event.origin) write_origin(file_, *event.origin);
      write_data(file_, event.data);
      break;
    case RtlEvent::Kind::credit:
      file_ << "credit " << event.now_ps << ' ' << event.port << ' ' << event.channel << ' ' << event.flits
            << ' ' << event.head_ps;
      break;
    case RtlEvent::Kind::leave:
      file_ << "leave " << event.now_ps << ' ' << event.port << ' ' << event.channel << ' ' << event.flow
            << ' ' << event.sequence << ' ' << event.bytes << ' ' << event.head_ps << ' ';
      if (event.tail_ps == kNever)
        file_ << '-';
      else
        file_ << event.tail_ps;
      write_data(file_, event.data);
      break;
  }
  file_ << '\n';
}

void RtlRecorder::close() {
  while (!due_.empty()) put_due();
  file_.close();
  if (!file_) throw std::runtime_error("the recording " + path_ + " could not be written");
}

void RtlRecordingReader::fail(const std::string& why) const {
  throw std::invalid_argument(path_ + ":" + std::to_string(line_) + ": " + why);
}

bool RtlRecordingReader::read_line(std::string& line) {
  ++line_;
  try {
    return next_line(file_, line);
  } catch (const std::invalid_argument& error) {
    fail(error.what());
  }
}

RtlRecordingReader::RtlRecordingReader(const std::string& path) : path_(path), file_(open_input(path)) {
  std::string line, word, tolerance;
  const auto next_line = [&] {
    if (!read_line(line)) fail("the file ends");
    return std::istringstream(line);
  };
  next_line();
  if (line != kMagic) fail(std::string("expected '") + kMagic + "'; this is no recording of a switch");
  std::istringstream first = next_line();
  first >> word >> head_.switch_name >> word >> head_.ports >> word >> head_.channels >> word >>
      head_.flit_bytes >> word >> head_.clock_hz >> word >> tolerance;
  std::istringstream number(tolerance);
  if (tolerance != "-" && (!(number >> head_.tolerance.emplace()) || !number.eof()))
    first.setstate(std::ios::failbit);
  if (!first || head_.ports == 0 || head_.channels == 0 || head_.flit_bytes == 0 || head_.clock_hz == 0)
    fail("expected 'switch NAME ports P channels V flit_bytes B clock_hz HZ tolerance CYCLES'");
  read_model(next_line());
  std::istringstream second = next_line();
  second >> word;
  if (word != "rooms") fail("expected 'rooms'");
  for (std::uint32_t room = 0; second >> room;) head_.rooms.push_back(room);
}

/// What follows the word "flits".
void RtlRecordingReader::read_flits(std::istream& in, RtlEvent& event) const {
  std::size_t count = 0;
  in >> count;
  if (!in || count > event.flits) fail("more times of flits than flits");
  event.flit_times = std::make_shared<RtlFlitTimes>();
  event.flit_times->tail_ps = event.tail_ps;
  for (TimePs at_ps = 0; event.flit_times->at_ps.size() < count && in >> at_ps;)
    event.flit_times->at_ps.push_back(at_ps);
  if (event.flit_times->at_ps.size() != count) fail("expected 'flits N AT …'");
}

void RtlRecordingReader::read_model(std::istringstream in) {
  RtlModelFacts& model = head_.model;
  std::string kind, queue, name;
  in >> kind >> name >> model.pipeline_ps >> name >> model.link_bytes_per_s >> name >> model.flit_bytes >>
      name >> model.payload_bytes >> name >> model.wire_bytes >> name >> model.input_bytes >> name >> queue >>
      name >> model.credit_delay_ps >> name >> model.start_interval_ps;
  const auto known = input_queue_of(queue);
  if (!in || kind != "model" || !known) fail("expected 'model pipeline_ps … queue fifo|per_output …'");
  model.queue = *known;
}

bool RtlRecordingReader::next(RtlEvent& event) {
  std::string line;
  if (!read_line(line)) return false;
  std::istringstream in(line);
  std::string kind, word;
  event = {};
  in >> kind >> event.now_ps;
  const auto read_data = [&] {
    if (!(in >> word)) return;
    if (kind == "arrive" && word == "flits") {
      read_flits(in, event);
      if (!(in >> word)) return;
    }
    if (kind == "arrive" && word == "from") {
      if (!read_origin(in, event.origin.emplace()))
        fail("expected 'from SOURCE DESTINATION COLLECTIVE STEP PACKET'");
      if (!(in >> word)) return;
    }
    if (word.size() % 2 != 0) fail("an odd number of hex digits");
    event.data.resize(word.size() / 2);
    for (std::size_t i = 0; i < event.data.size(); ++i) {
      const int high = digit(word[2 * i]), low = digit(word[2 * i + 1]);
      if (high < 0 || low < 0) fail("data must be hex digits");
      event.data[i] = static_cast<std::byte>(high * 16 + low);
    }
  };
  if (kind == "open") {
    event.kind = RtlEvent::Kind::open;
    RtlEntry& entry = event.entry;
    std::string type;
    std::size_t count = 0;
    in >> entry.number >> entry.channel >> entry.priority >> type >> entry.first >> entry.packets >>
        entry.from_above;
    if (type != to_string(DataType::int32) && type != to_string(DataType::bf16))
      fail("unknown data type " + type);
    entry.data_type = type == to_string(DataType::bf16) ? DataType::bf16 : DataType::int32;
    for (auto* list : {&entry.inputs, &entry.outputs}) {
      in >> word >> count;
      if (!in || count > head_.ports) fail("a list of ports is wrong");
      for (std::uint32_t each = 0; list->size() < count && in >> each;) list->push_back(each);
    }
    in >> word >> count;
    if (!in || count + 1 != entry.inputs.size()) fail("the order of additions is wrong");
    entry.order.resize(count);
    for (Addition& each : entry.order) in >> each.into >> each.from;
    for (const Addition& each : entry.order)
      if (each.into >= entry.inputs.size() || each.from >= entry.inputs.size())
        fail("an addition of no input");
    event.flow = entry.number;
    if (!in)
      fail("expected 'open NOW ENTRY CHANNEL PRIORITY TYPE FIRST PACKETS ABOVE inputs … outputs … order …'");
  } else if (kind == "arrive") {
    event.kind = RtlEvent::Kind::arrive;
    in >> event.port >> event.channel >> event.flow >> event.sequence >> event.bytes >> event.flits >>
        event.head_ps >> event.tail_ps;
    if (!in || event.flits == 0)
      fail("expected 'arrive NOW INPUT CHANNEL ENTRY SEQUENCE BYTES FLITS HEAD TAIL'");
    read_data();
  } else if (kind == "credit") {
    event.kind = RtlEvent::Kind::credit;
    in >> event.port >> event.channel >> event.flits >> event.head_ps;
    if (!in) fail("expected 'credit NOW OUTPUT CHANNEL FLITS AT'");
  } else if (kind == "leave") {
    event.kind = RtlEvent::Kind::leave;
    in >> event.port >> event.channel >> event.flow >> event.sequence >> event.bytes >> event.head_ps >> word;
    std::istringstream tail(word);
    if (word == "-")
      event.tail_ps = kNever;
    else if (!(tail >> event.tail_ps) || !tail.eof())
      in.setstate(std::ios::failbit);
    if (!in) fail("expected 'leave NOW OUTPUT CHANNEL ENTRY SEQUENCE BYTES HEAD TAIL'");
    read_data();
  } else {
    fail("unknown event '" + kind + "'; known: open, arrive, credit, leave");
  }
  if (event.port >= head_.ports || event.channel >= head_.channels)
    fail("a port or channel that the switch has not");
  return true;
}

}  // namespace wafertlm
