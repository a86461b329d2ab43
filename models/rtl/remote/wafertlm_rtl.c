// SPDX-License-Identifier: Apache-2.0
#include "wafertlm_rtl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  char* bytes;
  size_t size, room;
} buffer_t;

static int connection = -1;
static buffer_t answer;  // or, in the beginning, the text
static buffer_t steps;
static size_t at;           // of `steps`
static uint32_t words_due;  // of the step
static uint32_t value_now;
static int has_begun;

static void complain(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("wafertlm_rtl: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

static void reserve(buffer_t* to, size_t size) {
  if (size <= to->room) return;
  to->room = 2 * size;
  to->bytes = (char*)realloc(to->bytes, to->room);
  if (to->bytes) return;
  complain("out of memory");
  exit(1);
}

static void append(buffer_t* to, const void* bytes, size_t size) {
  reserve(to, to->size + size);
  memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
}

static int send_all(const void* bytes, size_t size) {
  const char* next = (const char*)bytes;
  while (size != 0) {
    const ssize_t sent = send(connection, next, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return 0;
    next += sent;
    size -= (size_t)sent;
  }
  return 1;
}

static int receive_all(void* bytes, size_t size) {
  char* next = (char*)bytes;
  while (size != 0) {
    const ssize_t got = recv(connection, next, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    next += got;
    size -= (size_t)got;
  }
  return 1;
}

static int send_message(buffer_t* from) {
  const uint32_t size = (uint32_t)from->size;
  from->size = 0;
  return send_all(&size, sizeof size) && send_all(from->bytes, size);
}

static int receive_message(buffer_t* to) {
  uint32_t size = 0;
  if (!receive_all(&size, sizeof size)) return 0;
  reserve(to, (size_t)size + 1);
  to->size = size;
  to->bytes[size] = 0;
  return receive_all(to->bytes, size);
}

static uint32_t next_number(void) {
  uint32_t number = 0;
  if (at + sizeof number > steps.size) {
    complain("a message is cut off");
    exit(1);
  }
  memcpy(&number, steps.bytes + at, sizeof number);
  at += sizeof number;
  return number;
}

void wafertlm_rtl_tell(const char* line) {
  if (answer.size == 0) {
    char first[32];
    append(&answer, first, (size_t)snprintf(first, sizeof first, "wafertlm-rtl %d\n", WAFERTLM_RTL_VERSION));
  }
  append(&answer, line, strlen(line));
  append(&answer, "\n", 1);
}

/// Tries until somebody listens.
static int connect_to(const char* path) {
  const struct timespec pause = {0, 50 * 1000 * 1000};
  const time_t begin = time(NULL);
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  if (strlen(path) >= sizeof address.sun_path) {
    complain("%s: the path of a socket has at most %zu letters", path, sizeof address.sun_path - 1);
    return 0;
  }
  strcpy(address.sun_path, path);
  for (;;) {
    connection = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connection >= 0 && connect(connection, (struct sockaddr*)&address, sizeof address) == 0) return 1;
    const int why = errno;
    if (connection >= 0) close(connection);
    connection = -1;
    if ((why != ENOENT && why != ECONNREFUSED) || time(NULL) - begin > WAFERTLM_RTL_PATIENCE_S) {
      complain("%s: no WaferTLM with design: remote:%s (%s)", path, path, strerror(why));
      return 0;
    }
    nanosleep(&pause, NULL);
  }
}

int wafertlm_rtl_open(const char* path) {
  if (connection >= 0) {
    complain("there is more than one switch in this process");
    return 0;
  }
  if (!connect_to(path)) return 0;
  if (!send_message(&answer) || !receive_message(&steps)) {
    complain("%s: WaferTLM has ended", path);
    return 0;
  }
  at = steps.size;
  if (steps.size == 0) return 1;
  complain("WaferTLM refuses: %s", steps.bytes);
  return 0;
}

int wafertlm_rtl_exchange(void) {
  if (at == steps.size) {
    if (has_begun && !send_message(&answer)) return -1;
    has_begun = 1;
    at = 0;
    if (!receive_message(&steps) || steps.size == 0) return -1;
  }
  const uint32_t passed = next_number();
  words_due = next_number();
  return (int)passed;
}

int wafertlm_rtl_next_input(void) {
  if (words_due == 0) return -1;
  --words_due;
  const uint32_t word = next_number();
  value_now = next_number();
  return (int)word;
}

int wafertlm_rtl_get(void) { return (int)value_now; }

void wafertlm_rtl_put_word(int word, unsigned value, unsigned unknown) {
  const uint32_t numbers[3] = {(uint32_t)word, value, unknown};
  append(&answer, numbers, sizeof numbers);
}
