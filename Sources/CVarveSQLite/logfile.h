#ifndef VARVE_LOG_FILE_H
#define VARVE_LOG_FILE_H

#include <sqlite3.h>

/// Returns the number of bytes that a log's file takes in memory over a VFS.
int varve_log_file_size(const sqlite3_vfs *inner);

/// Opens a log's file over a VFS, as its `xOpen`.
int varve_log_file_open(
    sqlite3_vfs *inner, const char *name, sqlite3_file *file, int flags, int *flags_out);

#endif
