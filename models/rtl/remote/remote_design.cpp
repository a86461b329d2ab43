// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/remote/remote_design.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <stdexcept>

#include "models/rtl/pin_waves.h"
#include "models/rtl/properties.h"
#include "models/rtl/remote/remote_module.h"
#include "models/rtl/remote/wafertlm_rtl.h"
#include "tlm/kernel/say.h"
#include "tlm/packets/class_table.h"

namespace wafertlm {
namespace {

class RemotePin final : public RtlPin {
 public:
  RemotePin(RtlRemoteModule& module, const RtlRemoteModule::Place& at)
      : RtlPin(at.facts.name, at.facts.width()), module_(module), at_(at) {}
  void push() override { module_.set(at_, *this); }
  void pull() override { module_.get(at_, *this); }

 private:
  RtlRemoteModule& module_;
  const RtlRemoteModule::Place& at_;
};

class RemoteModel final : public RtlModel {
 public:
  RemoteModel(std::shared_ptr<RtlRemoteModule> module, std::string instance)
      : module_(std::move(module)), instance_(std::move(instance)) {
    for (const auto& [name, place] : module_->places())
      pins_[name] = std::make_unique<RemotePin>(*module_, place);
  }
  RtlPin& pin(const std::string& name) override { return *pins_.at(module_->place(name).facts.name); }
  void evaluate() override { module_->evaluate(); }
  void set_plusargs(const std::vector<std::string>& arguments) override {
    if (!arguments.empty()) throw std::invalid_argument("plusargs of remote RTL are its simulator's to get");
  }
  void open_waves(const std::string& path, const RtlWaveWindow& window) override {
    times_ = RtlWaveTimes(window);
    waves_ = std::make_unique<RtlPinWaves>(path, instance_, shown());
  }
  void dump_waves(TimePs edge_ps, bool high) override {
    module_->set_time(edge_ps);
    if (!waves_) return;
    if (const auto at_ps = times_.at(edge_ps, high)) waves_->dump(*at_ps, shown());
  }
  void close_waves() override { waves_.reset(); }

 private:
  std::vector<RtlPinWaves::Pin> shown() {
    std::vector<RtlPinWaves::Pin> made;
    for (const auto& [name, place] : module_->places()) {
      RtlBits pin(name, place.facts.width());
      module_->get(place, pin);
      made.push_back({name, pin.bits, std::move(pin.words)});
    }
    return made;
  }

  std::shared_ptr<RtlRemoteModule> module_;
  std::string instance_;
  std::map<std::string, std::unique_ptr<RemotePin>> pins_;
  std::unique_ptr<RtlPinWaves> waves_;
  RtlWaveTimes times_;
};

/// What a simulator says of its module.
struct Told {
  std::string protocol, top;
  std::map<std::string, std::string> parameters;
  struct Pin {
    std::string name;
    bool is_input;
    std::uint32_t bits;
  };
  std::vector<Pin> pins;

  explicit Told(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    const std::string version = say("wafertlm-rtl ", WAFERTLM_RTL_VERSION);
    if (!std::getline(lines, line) || line != version)
      throw std::invalid_argument("it speaks '" + line.substr(0, 40) + "' in place of '" + version + "'");
    while (std::getline(lines, line)) read(line);
  }

  std::uint32_t number(const std::string& name, std::uint32_t usual, std::uint32_t least,
                       std::uint32_t most) const {
    const auto found = parameters.find(name);
    if (found == parameters.end()) return usual;
    std::istringstream in(found->second);
    std::uint32_t value = 0;
    if (found->second[0] == '-' || !(in >> value) || !in.eof() || value < least || value > most)
      throw std::invalid_argument(
          say("its parameter ", name, " is ", found->second, ": ", least, " to ", most, " fit"));
    return value;
  }
  /// Empty: not said.
  std::string word(const std::string& name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? "" : found->second;
  }

 private:
  void read(const std::string& line) {
    std::istringstream in(line);
    std::string kind, name, value;
    in >> kind >> name >> value;
    if (kind == "protocol") {
      protocol = name;
    } else if (kind == "top") {
      top = name;
    } else if (kind == "parameter") {
      if (!value.empty()) parameters[name] = value;
    } else if (kind == "input" || kind == "output") {
      std::istringstream bits(value);
      pins.push_back({name, kind == "input", 0});
      if (!(bits >> pins.back().bits)) throw std::invalid_argument("a pin without bits: " + line);
    } else {
      throw std::invalid_argument("what is '" + line.substr(0, 80) + "'?");
    }
  }
};

RtlProtocol protocol_of(const Told& told) {
  for (const auto each : {RtlProtocol::credit_stream, RtlProtocol::axi4_stream})
    if (told.protocol == to_string(each)) return each;
  throw std::invalid_argument("its protocol is '" + told.protocol + "': credit_stream or axi4_stream");
}

/// As wafertlm_add_rtl() says it. @throws std::invalid_argument
RtlDesign facts_of(const Told& told) {
  constexpr std::uint32_t kMost = 1 << 24, kMostBits = 1 << 16, kMostPorts = 64;
  RtlDesign design;
  design.name = design.top = told.top;
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (told.top.empty() || !std::all_of(told.top.begin(), told.top.end(), is_of_name))
    throw std::invalid_argument("its module is called '" + told.top + "'");
  design.protocol = protocol_of(told);
  design.ports = told.number("P", 0, 1, kMostPorts);
  design.flit_bits = told.number("W", 0, 32, kMostBits);
  if (design.ports == 0 || design.flit_bits % 32 != 0 || design.flit_bits == 0)
    throw std::invalid_argument(
        say("it must say P (ports) and W (bits of a flit, a multiple of 32), and says P=", design.ports,
            " W=", design.flit_bits));
  design.input_flits = told.number("DEPTH", 0, 1, kMost);
  if (design.protocol == RtlProtocol::credit_stream) {
    design.channels = told.number("VC", 1, 1, kMaxVcs);
    design.depth = design.input_flits;
    if (design.depth == 0) throw std::invalid_argument("it must say DEPTH, the credits of a sender");
    design.out_depth = told.number("OUT_DEPTH", design.depth, 1, kMost);
    design.flows = told.number("FLOWS", 0, 0, kMost);
    design.configuration = told.word("CONFIGURATION");
  }
  design.latency = told.number("LATENCY", 0, 0, kMost);
  design.rate = told.number("RATE", design.rate, 1, 100);
  design.turns = told.number("TURNS", design.turns, 1, kMost);
  if (const std::string queue = told.word("QUEUE"); !queue.empty()) {
    design.queue = input_queue_of(queue);
    if (!design.queue)
      throw std::invalid_argument("its parameter QUEUE is '" + queue + "': fifo or per_output");
  }
  for (const auto& [name, value] : told.parameters) design.parameters.push_back(name + "=" + value);
  return design;
}

/// In the order of `told`. @throws std::invalid_argument
std::vector<RtlPinFacts> pins_of(const Told& told, const RtlDesign& design) {
  std::vector<RtlPinFacts> wanted = rtl_pins(design), pins;
  const auto is_called = [](const std::string& name) {
    return [&name](const auto& each) { return each.name == name; };
  };
  for (const Told::Pin& each : told.pins) {
    const auto found = std::find_if(wanted.begin(), wanted.end(), is_called(each.name));
    if (found == wanted.end() || std::any_of(pins.begin(), pins.end(), is_called(each.name)))
      throw std::invalid_argument(say("a pin ", each.name, " is not of ", told.protocol, ", or told twice"));
    if (found->is_input != each.is_input || found->width() != each.bits)
      throw std::invalid_argument(say("its pin ", each.name, " is an ", each.is_input ? "input" : "output",
                                      " of ", each.bits, " bits, and its parameters ask for an ",
                                      found->is_input ? "input" : "output", " of ", found->width()));
    pins.push_back(*found);
  }
  for (const RtlPinFacts& each : wanted)
    if (std::none_of(pins.begin(), pins.end(), is_called(each.name)))
      throw std::invalid_argument("it lacks the pin " + each.name);
  return pins;
}

}  // namespace

RtlDesign remote_rtl_design(const std::string& path, RtlPatience patience) {
  auto connection = std::make_unique<RtlConnection>(path, patience);
  constexpr std::size_t kMostText = 64 * 1024;
  const std::string text = connection->receive(kMostText);
  try {
    const Told told(text);
    RtlDesign design = facts_of(told);
    const std::vector<RtlPinFacts> pins = pins_of(told, design);
    connection->send("", 0);
    const auto module = std::make_shared<RtlRemoteModule>(std::move(connection), design, pins);
    design.make = [module](const std::string& instance) {
      return std::make_unique<RemoteModel>(module, instance);
    };
    return design;
  } catch (const std::invalid_argument& why) {
    const std::string text_of_it = why.what();
    try {
      connection->send(text_of_it.data(), text_of_it.size());
    } catch (const RtlRemoteEnded&) {  // it does not matter to it any more
    }
    throw std::invalid_argument("remote:" + path + ": " + text_of_it);
  }
}

}  // namespace wafertlm
