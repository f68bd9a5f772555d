#ifndef C_VARVE_SQLITE_H
#define C_VARVE_SQLITE_H

/// Keeps SQLite from checkpointing when the last connection closes. sqlite3_db_config() is
/// variadic, which Swift cannot call. The connection is a `sqlite3 *`. Answers SQLite's code.
int varve_disable_checkpoint_on_close(void *connection);

#endif
