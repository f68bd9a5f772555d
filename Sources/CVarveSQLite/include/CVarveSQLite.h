#ifndef C_VARVE_SQLITE_H
#define C_VARVE_SQLITE_H

/// Whether SQLite checkpoints when the last connection closes, and deletes the log. sqlite3_db_config()
/// is variadic, which Swift cannot call. The connection is a `sqlite3 *`. Answers SQLite's code.
int varve_checkpoint_on_close(void *connection, int is_on);

/// Reads the first bytes of a file, zeros where it ends before.
///
/// Through SQLite, because a process that closes a database file by itself loses the locks SQLite
/// holds on it for all its connections. Answers SQLite's code.
int varve_read_head(const char *path, void *bytes, int count);

/// What the operating system said when a file of the connection could not be written: of the store, or
/// of its write-ahead log. `errno` may be another's by the time SQLite tells of it.
int varve_write_errno(void *connection);

/// Registers a VFS that passes everything on to another one, and can join the writes of a commit to
/// the write-ahead log. `inner_name` may be null, for the default VFS. Returns
/// SQLite's code.
int varve_log_vfs_register(const char *name, const char *inner_name);

/// Whether a VFS was registered as above, over the VFS that is the default now.
int varve_log_vfs_is_over_default(const char *name);

/// Begins to join writes to the log of a connection, a `sqlite3 *`. Call it before the statement that
/// commits a transaction. It does nothing if the connection has another VFS, or no open log.
void varve_log_begin_joining(void *connection);

/// Ends joining. Call it after that statement, whether it failed or not. If it failed, the
/// transaction must be rolled back.
void varve_log_end_joining(void *connection);

#endif
