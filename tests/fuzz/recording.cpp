// SPDX-License-Identifier: Apache-2.0
// Recordings of a switch, as `wafertlm rtl replay` reads them.
#include "tlm/rtl/recording.h"

#include "tests/fuzz/fuzz.h"

namespace wafertlm::fuzz {
namespace {

/// The recording as the recorder writes it.
std::string written_again(const std::string& path) {
  RtlRecordingReader reader(path);
  RtlRecorder recorder(folder() + "/again.rec", reader.head());
  for (RtlEvent event; reader.next(event);) recorder.write(event);
  recorder.close();
  return read(folder() + "/again.rec");
}

}  // namespace
}  // namespace wafertlm::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafertlm;
  const std::string path = fuzz::write("input.rec", data, size);
  const auto text = fuzz::accepted([&] { return fuzz::written_again(path); });
  if (!text) return 0;
  fuzz::require(fuzz::written_again(fuzz::write("written.rec", *text)) == *text,
                "written and read it says something else");
  return 0;
}
