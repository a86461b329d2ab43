// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "platform/text/quantity.h"

namespace wafertlm::config {

namespace {
constexpr std::uint64_t kKilo = 1000, kMega = kKilo * 1000, kGiga = kMega * 1000, kTera = kGiga * 1000,
                        kPeta = kTera * 1000;
constexpr std::uint64_t kKibi = 1024, kMebi = kKibi * 1024, kGibi = kMebi * 1024, kTebi = kGibi * 1024;

Unit whole(std::string_view name, std::uint64_t factor) { return {name, factor, 1, 0, true}; }
Unit alternative(std::string_view name, std::uint64_t factor, std::uint64_t divisor) {
  return {name, factor, divisor, 0, false};
}
Unit real(std::string_view name, int exponent) { return {name, 1, 1, exponent, true}; }
}  // namespace

const Dimension& bandwidth_dimension() {
  static const Dimension dimension{
      "bandwidth",
      "bytes/s",
      "750 GB/s",
      {whole("B/s", 1), whole("kB/s", kKilo), whole("MB/s", kMega), whole("GB/s", kGiga),
       whole("TB/s", kTera), whole("PB/s", kPeta), alternative("KiB/s", kKibi, 1),
       alternative("MiB/s", kMebi, 1), alternative("GiB/s", kGibi, 1), alternative("TiB/s", kTebi, 1),
       alternative("b/s", 1, 8), alternative("kb/s", kKilo, 8), alternative("Mb/s", kMega, 8),
       alternative("Gb/s", kGiga, 8), alternative("Tb/s", kTera, 8)}};
  return dimension;
}

const Dimension& time_dimension() {
  static const Dimension dimension{
      "time",
      "ps",
      "20 ns",
      {whole("ps", 1), whole("ns", kKilo), whole("us", kMega), whole("ms", kGiga), whole("s", kTera)}};
  return dimension;
}

const Dimension& size_dimension() {
  static const Dimension dimension{
      "size",
      "bytes",
      "4 KiB",
      {whole("B", 1), whole("kB", kKilo), whole("MB", kMega), whole("GB", kGiga), whole("TB", kTera),
       whole("PB", kPeta), whole("KiB", kKibi), whole("MiB", kMebi), whole("GiB", kGibi), whole("TiB", kTebi),
       // As nccl-tests writes them.
       alternative("K", kKibi, 1), alternative("M", kMebi, 1), alternative("G", kGibi, 1),
       alternative("T", kTebi, 1)}};
  return dimension;
}

const Dimension& compute_rate_dimension() {
  static const Dimension dimension{"compute rate",
                                   "operations/s",
                                   "1000 TFLOPS",
                                   {real("FLOPS", 0), real("kFLOPS", 3), real("MFLOPS", 6), real("GFLOPS", 9),
                                    real("TFLOPS", 12), real("PFLOPS", 15), real("EFLOPS", 18)}};
  return dimension;
}

const Dimension& frequency_dimension() {
  static const Dimension dimension{
      "frequency",
      "Hz",
      "1.41 GHz",
      {whole("Hz", 1), whole("kHz", kKilo), whole("MHz", kMega), whole("GHz", kGiga)}};
  return dimension;
}

const Dimension& energy_per_bit_dimension() {
  static const Dimension dimension{
      "energy per bit",
      "J/bit",
      "0.5 pJ/bit",
      {real("fJ/bit", -15), real("pJ/bit", -12), real("nJ/bit", -9), real("uJ/bit", -6), real("J/bit", 0)}};
  return dimension;
}

const Dimension& power_dimension() {
  static const Dimension dimension{
      "power", "W", "700 W", {real("mW", -3), real("W", 0), real("kW", 3), real("MW", 6)}};
  return dimension;
}

std::string Dimension::with_article() const {
  const bool vowel = std::string_view("aeiou").find(name.front()) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", name);
}

std::vector<std::string> Dimension::unit_names() const {
  std::vector<std::string> names;
  for (const Unit& unit : units) names.emplace_back(unit.name);
  return names;
}

std::string Dimension::pattern() const {
  return fmt::format("^[0-9]+([.][0-9]+)? *({})$", fmt::join(unit_names(), "|"));
}

}  // namespace wafertlm::config
