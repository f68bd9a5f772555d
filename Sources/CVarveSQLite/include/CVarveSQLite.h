#ifndef C_VARVE_SQLITE_H
#define C_VARVE_SQLITE_H

/// Keeps SQLite from checkpointing when the last connection closes. sqlite3_db_config() is
/// variadic, which Swift cannot call. The connection is a `sqlite3 *`. Answers SQLite's code.
int varve_disable_checkpoint_on_close(void *connection);

/// Reads the first bytes of a file, zeros where it ends before.
///
/// Through SQLite, because a process that closes a database file by itself loses the locks SQLite
/// holds on it for all its connections. Answers SQLite's code.
int varve_read_head(const char *path, void *bytes, int count);

#endif
