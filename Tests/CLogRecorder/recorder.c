#include "CLogRecorder.h"
#include "log.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// A VFS that looks at what SQLite, and what stands between SQLite and it, do to files.
//
// Commits become visible by the header of the shared memory beside a database. SQLite writes the second
// copy of that header, then calls the barrier, then writes the first copy; readers trust it only if
// both are equal. So at the barrier a new commit is about to be shown, and all of it must be in the log.
//
// Source: "WAL-mode File Format", section 2.1, "The WAL-Index Header".

typedef struct {
  sqlite3_file base;
  sqlite3_file *inner;
  int is_log;
  // Of a database: the first region of shared memory, and the path of the log.
  const volatile unsigned char *shared;
  char log_path[1024];
} recorded_file;

static log_record record;
static int first_failure = -1;
static unsigned char last_header[index_header_size];

void log_recorder_reset(int failure) {
  memset(&record, 0, sizeof record);
  first_failure = failure;
}

log_record log_recorder_record(void) { return record; }

static recorded_file *recorded(sqlite3_file *file) { return (recorded_file *)file; }
static sqlite3_file *inner_of(sqlite3_file *file) { return recorded(file)->inner; }
static sqlite3_vfs *vfs_of(sqlite3_vfs *vfs) { return vfs->pAppData; }

static void look(recorded_file *file) {
  unsigned char header[index_header_size];
  if (file->shared == 0) return;
  memcpy(header, (const unsigned char *)file->shared + index_header_size, sizeof header);
  if (memcmp(header, last_header, sizeof header) == 0) return;
  memcpy(last_header, header, sizeof header);
  if (index_frame_count(header) == 0) return;
  record.publications += 1;
  if (!log_has_commit(file->log_path, header)) record.violations += 1;
}

static int file_close(sqlite3_file *file) {
  return inner_of(file)->pMethods->xClose(inner_of(file));
}
static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  return inner_of(file)->pMethods->xRead(inner_of(file), bytes, count, offset);
}
static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (recorded(file)->is_log) {
    int number = record.writes++;
    if (first_failure >= 0 && number >= first_failure) {
      record.failures += 1;
      return SQLITE_FULL;
    }
  }
  return inner_of(file)->pMethods->xWrite(inner_of(file), bytes, count, offset);
}
static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return inner_of(file)->pMethods->xTruncate(inner_of(file), size);
}
static int file_sync(sqlite3_file *file, int flags) {
  if (recorded(file)->is_log) record.syncs += 1;
  return inner_of(file)->pMethods->xSync(inner_of(file), flags);
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return inner_of(file)->pMethods->xFileSize(inner_of(file), size);
}
static int file_lock(sqlite3_file *file, int lock) {
  return inner_of(file)->pMethods->xLock(inner_of(file), lock);
}
static int file_unlock(sqlite3_file *file, int lock) {
  return inner_of(file)->pMethods->xUnlock(inner_of(file), lock);
}
static int file_check(sqlite3_file *file, int *result) {
  return inner_of(file)->pMethods->xCheckReservedLock(inner_of(file), result);
}
static int file_control(sqlite3_file *file, int operation, void *argument) {
  return inner_of(file)->pMethods->xFileControl(inner_of(file), operation, argument);
}
static int file_sector(sqlite3_file *file) {
  return inner_of(file)->pMethods->xSectorSize(inner_of(file));
}
static int file_characteristics(sqlite3_file *file) {
  return inner_of(file)->pMethods->xDeviceCharacteristics(inner_of(file));
}
static int file_map(
    sqlite3_file *file, int region, int size, int extends, void volatile **memory) {
  int code = inner_of(file)->pMethods->xShmMap(inner_of(file), region, size, extends, memory);
  if (code == SQLITE_OK && region == 0) recorded(file)->shared = *memory;
  return code;
}
static int file_lock_shared(sqlite3_file *file, int offset, int count, int flags) {
  return inner_of(file)->pMethods->xShmLock(inner_of(file), offset, count, flags);
}
static void file_barrier(sqlite3_file *file) {
  look(recorded(file));
  inner_of(file)->pMethods->xShmBarrier(inner_of(file));
}
static int file_unmap(sqlite3_file *file, int deletes) {
  recorded(file)->shared = 0;
  return inner_of(file)->pMethods->xShmUnmap(inner_of(file), deletes);
}

static const sqlite3_io_methods methods = {
  2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,
  file_check, file_control, file_sector, file_characteristics, file_map, file_lock_shared,
  file_barrier, file_unmap, 0, 0,
};

static int recorder_open(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out) {
  recorded_file *own = recorded(file);
  int code;
  memset(own, 0, sizeof *own);
  own->inner = (sqlite3_file *)(own + 1);
  own->is_log = (flags & SQLITE_OPEN_WAL) != 0;
  if ((flags & SQLITE_OPEN_MAIN_DB) && name != 0 && strlen(name) + 5 < sizeof own->log_path) {
    strcpy(own->log_path, name);
    strcat(own->log_path, "-wal");
  }
  code = vfs_of(vfs)->xOpen(vfs_of(vfs), name, own->inner, flags, flags_out);
  if (own->inner->pMethods != 0) own->base.pMethods = &methods;
  return code;
}
static int recorder_delete(sqlite3_vfs *vfs, const char *name, int synchronizes) {
  return vfs_of(vfs)->xDelete(vfs_of(vfs), name, synchronizes);
}
static int recorder_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  return vfs_of(vfs)->xAccess(vfs_of(vfs), name, flags, result);
}
static int recorder_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
  return vfs_of(vfs)->xFullPathname(vfs_of(vfs), name, count, path);
}
static int recorder_random(sqlite3_vfs *vfs, int count, char *bytes) {
  return vfs_of(vfs)->xRandomness(vfs_of(vfs), count, bytes);
}
static int recorder_sleep(sqlite3_vfs *vfs, int microseconds) {
  return vfs_of(vfs)->xSleep(vfs_of(vfs), microseconds);
}
static int recorder_time(sqlite3_vfs *vfs, double *time) {
  return vfs_of(vfs)->xCurrentTime(vfs_of(vfs), time);
}

int log_recorder_register(const char *name) {
  static sqlite3_vfs vfs;
  sqlite3_vfs *inner = sqlite3_vfs_find(0);
  if (inner == 0 || vfs.zName != 0) return inner == 0 ? SQLITE_ERROR : SQLITE_OK;
  vfs.iVersion = 1;
  vfs.szOsFile = (int)sizeof(recorded_file) + inner->szOsFile;
  vfs.mxPathname = inner->mxPathname;
  vfs.zName = name;
  vfs.pAppData = inner;
  vfs.xOpen = recorder_open;
  vfs.xDelete = recorder_delete;
  vfs.xAccess = recorder_access;
  vfs.xFullPathname = recorder_path;
  vfs.xRandomness = recorder_random;
  vfs.xSleep = recorder_sleep;
  vfs.xCurrentTime = recorder_time;
  return sqlite3_vfs_register(&vfs, 0);
}
