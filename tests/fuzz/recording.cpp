// SPDX-License-Identifier: Apache-2.0
// Recordings of a switch, as `wafertlm rtl replay` reads them.
#include "models/rtl/recording.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/targets.h"

namespace wafertlm::fuzz {
namespace {

/// The recording as the recorder writes it.
std::string written_again(const std::string& path) {
  RtlRecordingReader reader(path);
  RtlRecorder recorder(folder() + "/again.rec");
  recorder.begin(reader.head());
  for (RtlEvent event; reader.next(event);) recorder.write(event);
  recorder.close();
  return read(folder() + "/again.rec");
}

}  // namespace

void recording(const std::string& input) {
  const std::string path = write("input.rec", input);
  const auto text = accepted([&] { return written_again(path); });
  if (!text) return;
  const std::string written = write("written.rec", *text);
  require(again([&] { return written_again(written); }) == *text, "written and read it says something else");
}

}  // namespace wafertlm::fuzz
