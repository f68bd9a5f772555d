#include "log.h"
#include "CLogRecorder.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads a log from its file, as another process would after a crash.
// Source: "Database File Format", section 4, "The Write-Ahead Log".

typedef struct {
  // Frames up to the last commit, and the checksum and the database's size after it.
  unsigned frames, pages;
  uint32_t checksum[2];
  unsigned char salt[8];
} log_end;

static uint32_t big(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t little(const unsigned char *bytes) {
  return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

static void add(uint32_t *sum, const unsigned char *bytes, size_t count, int is_big) {
  for (size_t i = 0; i < count; i += 8) {
    sum[0] += (is_big ? big(bytes + i) : little(bytes + i)) + sum[1];
    sum[1] += (is_big ? big(bytes + i + 4) : little(bytes + i + 4)) + sum[0];
  }
}

static int is_sum(const uint32_t *sum, const unsigned char *bytes) {
  return sum[0] == big(bytes) && sum[1] == big(bytes + 4);
}

// Calls of `fread` end where a frame is not whole, or is left from an earlier use of the file.
static log_end read_log(FILE *file, unsigned limit) {
  log_end end = {0};
  unsigned char header[32], frame[24], *page;
  uint32_t sum[2] = {0, 0};
  unsigned count = 0, size;
  if (fread(header, sizeof header, 1, file) != 1) return end;
  int is_big = header[3] & 1;
  add(sum, header, 24, is_big);
  size = big(header + 8);
  if (!is_sum(sum, header + 24) || size < 512 || size > 65536) return end;
  memcpy(end.salt, header + 16, sizeof end.salt);
  page = malloc(size);
  while (count < limit && fread(frame, sizeof frame, 1, file) == 1
         && fread(page, size, 1, file) == 1) {
    if (memcmp(frame + 8, end.salt, sizeof end.salt) != 0) break;
    add(sum, frame, 8, is_big);
    add(sum, page, size, is_big);
    if (!is_sum(sum, frame + 16)) break;
    count += 1;
    if (big(frame + 4) == 0) continue;
    end.frames = count;
    end.pages = big(frame + 4);
    memcpy(end.checksum, sum, sizeof sum);
  }
  free(page);
  return end;
}

// The numbers of the shared memory are in the machine's order.
static uint32_t native(const unsigned char *bytes) {
  uint32_t number;
  memcpy(&number, bytes, sizeof number);
  return number;
}

unsigned index_frame_count(const unsigned char *header) { return native(header + 16); }

int log_has_commit(const char *path, const unsigned char *header) {
  FILE *file = fopen(path, "rb");
  log_end end;
  if (file == 0) return 0;
  end = read_log(file, index_frame_count(header));
  fclose(file);
  return end.frames == index_frame_count(header) && end.pages == native(header + 20)
      && end.checksum[0] == native(header + 24) && end.checksum[1] == native(header + 28)
      && memcmp(end.salt, header + 32, sizeof end.salt) == 0;
}

int log_recorder_committed_frames(const char *path) {
  FILE *file = fopen(path, "rb");
  log_end end;
  if (file == 0) return -1;
  end = read_log(file, UINT32_MAX);
  fclose(file);
  return (int)end.frames;
}
