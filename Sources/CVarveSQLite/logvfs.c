#include "CVarveSQLite.h"
#include "logfile.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// A VFS that passes everything on to another one, except that files of write-ahead logs are those of
// logfile.c. Source: "The SQLite OS Interface or VFS", section 2.1.3, "VFS shims".

static sqlite3_vfs *inner_of(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int shim_open(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out) {
  sqlite3_vfs *inner = inner_of(vfs);
  // Other files are the inner VFS's own, and this one is not in their way.
  return flags & SQLITE_OPEN_WAL ? varve_log_file_open(inner, name, file, flags, flags_out)
                                 : inner->xOpen(inner, name, file, flags, flags_out);
}

static int shim_delete(sqlite3_vfs *vfs, const char *name, int synchronizes) {
  return inner_of(vfs)->xDelete(inner_of(vfs), name, synchronizes);
}

static int shim_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  return inner_of(vfs)->xAccess(inner_of(vfs), name, flags, result);
}

static int shim_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
  return inner_of(vfs)->xFullPathname(inner_of(vfs), name, count, path);
}

static void *shim_library(sqlite3_vfs *vfs, const char *name) {
  return inner_of(vfs)->xDlOpen(inner_of(vfs), name);
}

static void shim_library_error(sqlite3_vfs *vfs, int count, char *message) {
  inner_of(vfs)->xDlError(inner_of(vfs), count, message);
}

static void (*shim_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
  return inner_of(vfs)->xDlSym(inner_of(vfs), library, name);
}

static void shim_close_library(sqlite3_vfs *vfs, void *library) {
  inner_of(vfs)->xDlClose(inner_of(vfs), library);
}

static int shim_random(sqlite3_vfs *vfs, int count, char *bytes) {
  return inner_of(vfs)->xRandomness(inner_of(vfs), count, bytes);
}

static int shim_sleep(sqlite3_vfs *vfs, int microseconds) {
  return inner_of(vfs)->xSleep(inner_of(vfs), microseconds);
}

static int shim_time(sqlite3_vfs *vfs, double *time) {
  return inner_of(vfs)->xCurrentTime(inner_of(vfs), time);
}

static int shim_error(sqlite3_vfs *vfs, int count, char *message) {
  return inner_of(vfs)->xGetLastError(inner_of(vfs), count, message);
}

static int shim_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  return inner_of(vfs)->xCurrentTimeInt64(inner_of(vfs), time);
}

int varve_log_vfs_register(const char *name, const char *inner_name) {
  sqlite3_vfs *inner = sqlite3_vfs_find(inner_name);
  size_t name_size = strlen(name) + 1;
  // It lives as long as the process, as connections may.
  sqlite3_vfs *vfs = inner == 0 ? 0 : calloc(1, sizeof *vfs + name_size);
  if (vfs == 0) return inner == 0 ? SQLITE_ERROR : SQLITE_NOMEM;
  // The methods of version 3 replace calls of the system, which is the inner VFS's matter.
  vfs->iVersion = inner->iVersion < 2 ? inner->iVersion : 2;
  vfs->szOsFile = varve_log_file_size(inner);
  vfs->mxPathname = inner->mxPathname;
  vfs->zName = memcpy(vfs + 1, name, name_size);
  vfs->pAppData = inner;
  vfs->xOpen = shim_open;
  vfs->xDelete = shim_delete;
  vfs->xAccess = shim_access;
  vfs->xFullPathname = shim_path;
  // SQLite may be built without loadable extensions.
  vfs->xDlOpen = inner->xDlOpen ? shim_library : 0;
  vfs->xDlError = inner->xDlError ? shim_library_error : 0;
  vfs->xDlSym = inner->xDlSym ? shim_symbol : 0;
  vfs->xDlClose = inner->xDlClose ? shim_close_library : 0;
  vfs->xRandomness = shim_random;
  vfs->xSleep = shim_sleep;
  vfs->xCurrentTime = inner->xCurrentTime ? shim_time : 0;
  vfs->xGetLastError = inner->xGetLastError ? shim_error : 0;
  vfs->xCurrentTimeInt64 =
      inner->iVersion >= 2 && inner->xCurrentTimeInt64 ? shim_milliseconds : 0;
  return sqlite3_vfs_register(vfs, 0);
}

int varve_log_vfs_is_over_default(const char *name) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(name);
  return vfs != 0 && vfs->xOpen == shim_open && inner_of(vfs) == sqlite3_vfs_find(0);
}
