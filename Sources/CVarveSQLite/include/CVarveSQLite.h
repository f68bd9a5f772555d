#ifndef C_VARVE_SQLITE_H
#define C_VARVE_SQLITE_H

#include <stdint.h>

/// Whether SQLite checkpoints when the last connection closes, and deletes the log. sqlite3_db_config()
/// is variadic, which Swift cannot call. The connection is a `sqlite3 *`. Answers SQLite's code.
int varve_checkpoint_on_close(void *connection, int is_on);

/// Whether SQLite refuses SQL that can damage the database: writing its schema or the tables of a
/// search index, or having no journal. Answers SQLite's code.
int varve_defend(void *connection, int is_on);

/// Makes a name in double quotes that is none an error in the connection's statements. SQLite would take
/// it for a text. The connection is a `sqlite3 *`. Returns SQLite's code.
int varve_refuse_quoted_texts(void *connection);

/// Reads the first bytes of a file, zeros where it ends before.
///
/// Through SQLite, because a process that closes a database file by itself loses the locks SQLite
/// holds on it for all its connections. Answers SQLite's code.
int varve_read_head(const char *path, void *bytes, int count);

/// What the operating system said when a file of the connection could not be written: of the store, or
/// of its write-ahead log. `errno` may be another's by the time SQLite tells of it.
int varve_write_errno(void *connection);

/// Reads five words of the index of the write-ahead log, which every commit of any connection changes.
/// Takes no lock and makes no call of the system. Answers 0 if the connection has not opened the log.
int varve_log_mark(void *connection, uint64_t *words);

/// Registers the file system `varve-memory`, whose files are in the memory of this process. It has a
/// write-ahead log, unlike SQLite's `memdb`. Call it once. Answers SQLite's code.
int varve_register_memory(void);

/// Locks a byte of an open file for sharing, or releases it. The lock belongs to the descriptor, not to
/// the process. Returns the system's error, 0 for none.
int varve_lock_place(int descriptor, int64_t place, int is_on);

/// Whether another descriptor, of any process, has locked a byte of a range. `process` becomes the
/// holder's number if the lock belongs to a process.
int varve_is_locked(int descriptor, int64_t from, int64_t count, int *process);

/// When an open file was made, in nanoseconds since 1970; 0 if the file system does not know.
int64_t varve_birth(int descriptor);

/// Reads the note about its use that is attached to an open file. Returns its length; less than 0 if
/// there is none.
int varve_read_note(int descriptor, void *bytes, int count);

/// Attaches a note about its use to an open file. Returns the system's error, 0 for none.
int varve_write_note(int descriptor, const void *bytes, int count);

/// Whether a file keeps its number on its file system, and has it under all of its names.
int varve_keeps_numbers(const char *path);

/// Whether a lock of a file holds for everyone who uses the file. On network file systems, and on those
/// that a program provides, it may hold only for those who use the file by the same mount.
int varve_shares_locks(const char *path);

/// Whether the connection's file has lost its name.
int varve_has_moved(void *connection);

/// Gives the connection the key of its database. Returns SQLite's code; SQLITE_MISUSE if it has no
/// encryption.
int varve_key(void *connection, const void *key, int count);

/// Encrypts the database anew with another key. SQLCipher returns no failure, so the caller must open
/// the database again to learn which key it has, and use the connection for nothing else.
int varve_rekey(void *connection, const void *key, int count);

/// Reads the first bytes of the connection's file as they are on the disk. Returns 0 if the file is
/// shorter.
int varve_read_start(void *connection, void *bytes, int count);

#endif
