#include "logfile.h"
#include "CVarveSQLite.h"
#include <stdlib.h>
#include <string.h>

// A file of a write-ahead log. SQLite writes each frame of the log in two parts, a header and a page.
// While a commit is written, this file holds frames back and writes many of them at once.
//
// What is held back is whole frames that complete no commit, and then perhaps one header whose page
// SQLite has not written yet. The format of the log says that a transaction is committed once a frame
// is written whose header has a commit marker. So the commit is not complete for SQLite before it has
// handed over that page, and everything is in the inner file when that call returns. Any other call,
// and any order of writes but header, page, header, page, ends the holding back at once.
//
// Source: "Database File Format", section 4, "The Write-Ahead Log".

enum {
  log_header_size = 32,
  frame_header_size = 24,
  // Where the header of a frame has its commit marker: the size of the database, or zero.
  marker_offset = 4,
  marker_size = 4,
  least_page_size = 512,
  // Eight frames of pages of 4,096 bytes: several times fewer calls, and not too large for the
  // processor's first cache.
  capacity = 8 * (frame_header_size + 4096),
};

typedef struct {
  // It must come first.
  sqlite3_file base;
  // The inner VFS's file, which follows in memory.
  sqlite3_file *inner;
  int is_joining;
  // Whether the page of a header must follow, and whether that header has a commit marker.
  int expects_page, is_last;
  // The code of a write that failed since joining began, which every later write repeats.
  int failure;
  // The bytes held back, and where they belong. The memory is allocated while there are any.
  unsigned char *bytes;
  int count;
  sqlite3_int64 offset;
  // The end of what was written or held back since the last commit that was joined.
  sqlite3_int64 end;
} log_file;

static log_file *log_of(sqlite3_file *file) { return (log_file *)file; }

static int write_through(log_file *log, const void *bytes, int count, sqlite3_int64 offset) {
  int code = log->inner->pMethods->xWrite(log->inner, bytes, count, offset);
  if (code != SQLITE_OK && log->is_joining) log->failure = code;
  return code;
}

static int flush(log_file *log) {
  int count = log->count;
  log->count = 0;
  return count == 0 ? SQLITE_OK : write_through(log, log->bytes, count, log->offset);
}

// Writes what is held back, and holds back no more until the next commit.
static int stop(log_file *log) {
  int code = flush(log);
  log->is_joining = 0;
  log->expects_page = 0;
  free(log->bytes);
  log->bytes = 0;
  return code;
}

// Holds bytes back. Writes those before them if they are elsewhere or too many.
static int hold(log_file *log, const void *bytes, int count, sqlite3_int64 offset) {
  int code = SQLITE_OK;
  if (log->count > 0 && (offset != log->offset + log->count || count > capacity - log->count)) {
    code = flush(log);
  }
  if (code != SQLITE_OK) return code;
  if (log->count == 0) log->offset = offset;
  memcpy(log->bytes + log->count, bytes, (size_t)count);
  log->count += count;
  return SQLITE_OK;
}

static int has_marker(const unsigned char *header) {
  static const unsigned char none[marker_size];
  return memcmp(header + marker_offset, none, marker_size) != 0;
}

// Whether bytes are the header of a frame of which this transaction has written nothing yet.
static int begins_frame(log_file *log, int count, sqlite3_int64 offset) {
  return !log->expects_page && count == frame_header_size && offset >= log_header_size
      && offset >= log->end;
}

// Whether bytes are the page of the header held back last.
static int completes_frame(log_file *log, int count, sqlite3_int64 offset) {
  return log->expects_page && offset == log->offset + log->count && count >= least_page_size
      && (count & (count - 1)) == 0 && count <= capacity - frame_header_size;
}

static int write_joining(log_file *log, const void *bytes, int count, sqlite3_int64 offset) {
  int code;
  if (begins_frame(log, count, offset)) {
    if (log->bytes == 0) log->bytes = malloc(capacity);
    if (log->bytes != 0) {
      log->is_last = has_marker(bytes);
      log->expects_page = 1;
      return hold(log, bytes, count, offset);
    }
  } else if (completes_frame(log, count, offset)) {
    log->expects_page = 0;
    code = hold(log, bytes, count, offset);
    return code == SQLITE_OK && log->is_last ? stop(log) : code;
  }
  // The log's own header may come first. Anything else is not what SQLite is known to write.
  code = offset == 0 && count == log_header_size && log->count == 0 ? SQLITE_OK : stop(log);
  return code == SQLITE_OK ? write_through(log, bytes, count, offset) : code;
}

static int log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  log_file *log = log_of(file);
  int code;
  if (log->failure != SQLITE_OK) return log->failure;
  code = log->is_joining ? write_joining(log, bytes, count, offset)
                         : write_through(log, bytes, count, offset);
  if (offset + count > log->end) log->end = offset + count;
  return code;
}

static int log_close(sqlite3_file *file) {
  log_file *log = log_of(file);
  free(log->bytes);
  log->bytes = 0;
  return log->inner->pMethods->xClose(log->inner);
}

static int log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  log_file *log = log_of(file);
  int code = stop(log);
  return code == SQLITE_OK ? log->inner->pMethods->xRead(log->inner, bytes, count, offset) : code;
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
  log_file *log = log_of(file);
  int code = stop(log);
  return code == SQLITE_OK ? log->inner->pMethods->xTruncate(log->inner, size) : code;
}

static int log_sync(sqlite3_file *file, int flags) {
  log_file *log = log_of(file);
  int code = log->failure;
  // The log's own header is synchronized before the first frame of a commit, which is joined.
  if (code == SQLITE_OK && log->count > 0) code = stop(log);
  return code == SQLITE_OK ? log->inner->pMethods->xSync(log->inner, flags) : code;
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
  log_file *log = log_of(file);
  int code = stop(log);
  return code == SQLITE_OK ? log->inner->pMethods->xFileSize(log->inner, size) : code;
}

static int log_lock(sqlite3_file *file, int lock) {
  log_file *log = log_of(file);
  int code = stop(log);
  return code == SQLITE_OK ? log->inner->pMethods->xLock(log->inner, lock) : code;
}

static int log_unlock(sqlite3_file *file, int lock) {
  log_file *log = log_of(file);
  int code = stop(log);
  return code == SQLITE_OK ? log->inner->pMethods->xUnlock(log->inner, lock) : code;
}

static int log_check_lock(sqlite3_file *file, int *result) {
  return log_of(file)->inner->pMethods->xCheckReservedLock(log_of(file)->inner, result);
}

static int log_control(sqlite3_file *file, int operation, void *argument) {
  log_file *log = log_of(file);
  int code = stop(log);
  return code == SQLITE_OK
      ? log->inner->pMethods->xFileControl(log->inner, operation, argument) : code;
}

// These two read and write nothing.

static int log_sector(sqlite3_file *file) {
  return log_of(file)->inner->pMethods->xSectorSize(log_of(file)->inner);
}

static int log_characteristics(sqlite3_file *file) {
  return log_of(file)->inner->pMethods->xDeviceCharacteristics(log_of(file)->inner);
}

// Version 1 has no shared memory and no mapping, which SQLite uses of a database's file alone.
static const sqlite3_io_methods methods = {
  .iVersion = 1,
  .xClose = log_close,
  .xRead = log_read,
  .xWrite = log_write,
  .xTruncate = log_truncate,
  .xSync = log_sync,
  .xFileSize = log_size,
  .xLock = log_lock,
  .xUnlock = log_unlock,
  .xCheckReservedLock = log_check_lock,
  .xFileControl = log_control,
  .xSectorSize = log_sector,
  .xDeviceCharacteristics = log_characteristics,
};

int varve_log_file_size(const sqlite3_vfs *inner) {
  return (int)sizeof(log_file) + inner->szOsFile;
}

int varve_log_file_open(
    sqlite3_vfs *inner, const char *name, sqlite3_file *file, int flags, int *flags_out) {
  log_file *log = log_of(file);
  int code;
  memset(log, 0, (size_t)varve_log_file_size(inner));
  log->inner = (sqlite3_file *)(log + 1);
  code = inner->xOpen(inner, name, log->inner, flags, flags_out);
  // SQLite closes a file that could not be opened, if it has methods.
  if (log->inner->pMethods != 0) log->base.pMethods = &methods;
  return code;
}

// Returns the open log of a connection's main database, or null if it is not one of these.
static log_file *log_of_connection(void *connection) {
  sqlite3_file *file = 0;
  int code =
      sqlite3_file_control((sqlite3 *)connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  return code == SQLITE_OK && file != 0 && file->pMethods == &methods ? log_of(file) : 0;
}

void varve_log_begin_joining(void *connection) {
  log_file *log = log_of_connection(connection);
  if (log == 0) return;
  log->failure = SQLITE_OK;
  log->count = 0;
  log->expects_page = 0;
  log->is_joining = 1;
}

void varve_log_end_joining(void *connection) {
  log_file *log = log_of_connection(connection);
  if (log == 0) return;
  // A commit that failed may have left frames, which are rolled back.
  log->count = 0;
  log->end = 0;
  stop(log);
  log->failure = SQLITE_OK;
}
