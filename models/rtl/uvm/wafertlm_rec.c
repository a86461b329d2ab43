// SPDX-License-Identifier: Apache-2.0
#include "wafertlm_rec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef struct {
  FILE* file;
  char* path;
  char* line;
  size_t room;
  long number;
  const char* data;  // hex digits within `line`; null: none
  int ports, flit_bytes;
  long long clock_hz;
} recording_t;

static int read_line(recording_t* of) {
  ++of->number;
  return getline(&of->line, &of->room, of->file) > 0;
}

static void complain(const recording_t* of, const char* why) {
  fprintf(stderr, "%s:%ld: %s\n", of->path, of->number, why);
}

void* wafertlm_rec_open(const char* path) {
  recording_t* made = (recording_t*)calloc(1, sizeof *made);
  if (!made) return NULL;
  made->path = strdup(path);
  made->file = fopen(path, "r");
  if (!made->file)
    complain(made, "it cannot be read");
  else if (!read_line(made) || strcmp(made->line, "wafertlm-rtl-recording 2\n") != 0)
    complain(made, "this is no recording of version 2");
  else if (!read_line(made) ||
           sscanf(made->line, "switch %*s ports %d channels %*d flit_bytes %d clock_hz %lld", &made->ports,
                  &made->flit_bytes, &made->clock_hz) != 3)
    complain(made, "expected 'switch NAME ports P channels V flit_bytes B clock_hz HZ'");
  else
    return made;
  wafertlm_rec_close(made);
  return NULL;
}

int wafertlm_rec_ports(void* recording) { return ((recording_t*)recording)->ports; }
int wafertlm_rec_flit_bytes(void* recording) { return ((recording_t*)recording)->flit_bytes; }
long long wafertlm_rec_clock_hz(void* recording) { return ((recording_t*)recording)->clock_hz; }

/// Past so many words.
static const char* skip(const char* text, long words) {
  for (; words > 0; --words) {
    text += strspn(text, " ");
    text += strcspn(text, " \n");
  }
  return text + strspn(text, " ");
}

int wafertlm_rec_next(void* recording, int* kind, int* port, int* channel, int* flow, long long* sequence,
                      int* bytes, long long* head_ps, long long* tail_ps) {
  recording_t* of = (recording_t*)recording;
  while (read_line(of)) {
    const int arrives = strncmp(of->line, "arrive ", 7) == 0;
    char tail[24] = "";
    const char* rest;
    if (!arrives && strncmp(of->line, "leave ", 6) != 0) continue;
    *kind = !arrives;
    if (sscanf(of->line, arrives ? "%*s %*d %d %d %d %lld %d %*d %lld %23s" : "%*s %*d %d %d %d %lld %d %lld %23s",
               port, channel, flow, sequence, bytes, head_ps, tail) != 7) {
      complain(of, "expected a packet that arrives or leaves");
      return -1;
    }
    *tail_ps = strcmp(tail, "-") == 0 ? -1 : atoll(tail);
    rest = skip(of->line, arrives ? 10 : 9);
    if (strncmp(rest, "flits ", 6) == 0) rest = skip(rest, 2 + atol(rest + 6));
    if (strncmp(rest, "from ", 5) == 0) rest = skip(rest, 6);
    of->data = *rest == '\n' || *rest == 0 ? NULL : rest;
    return 1;
  }
  return 0;
}

int wafertlm_rec_byte(void* recording, int number) {
  const char* data = ((recording_t*)recording)->data;
  char digits[3] = "";
  if (!data || number < 0 || (size_t)number * 2 + 1 >= strcspn(data, "\n")) return -1;
  memcpy(digits, data + (size_t)number * 2, 2);
  return (int)strtol(digits, NULL, 16);
}

void wafertlm_rec_close(void* recording) {
  recording_t* of = (recording_t*)recording;
  if (of->file) fclose(of->file);
  free(of->line);
  free(of->path);
  free(of);
}
