#include "CVarveSQLite.h"
#include "sqlite.h"

#ifdef VARVE_SQLCIPHER
// Weak, so that a program links and says what it lacks if its SQLite is not SQLCipher.
#ifdef __APPLE__
#define OPTIONAL __attribute__((weak_import))
#else
#define OPTIONAL __attribute__((weak))
#endif
extern int sqlite3_key_v2(sqlite3 *, const char *, const void *, int) OPTIONAL;
extern int sqlite3_rekey_v2(sqlite3 *, const char *, const void *, int) OPTIONAL;

int varve_key(void *connection, const void *key, int count) {
  if (sqlite3_key_v2 == 0) return SQLITE_MISUSE;
  return sqlite3_key_v2((sqlite3 *)connection, "main", key, count);
}

int varve_rekey(void *connection, const void *key, int count) {
  if (sqlite3_rekey_v2 == 0) return SQLITE_MISUSE;
  return sqlite3_rekey_v2((sqlite3 *)connection, "main", key, count);
}
#else
int varve_key(void *connection, const void *key, int count) {
  (void)connection, (void)key, (void)count;
  return SQLITE_MISUSE;
}

int varve_rekey(void *connection, const void *key, int count) {
  (void)connection, (void)key, (void)count;
  return SQLITE_MISUSE;
}
#endif

int varve_read_start(void *connection, void *bytes, int count) {
  sqlite3_file *file = 0;
  sqlite3_int64 size = 0;
  int code = sqlite3_file_control((sqlite3 *)connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  // A temporary database has no file until its pages leave the memory.
  if (code != SQLITE_OK || file == 0 || file->pMethods == 0) return 0;
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK || size < count) return 0;
  return file->pMethods->xRead(file, bytes, count, 0) == SQLITE_OK;
}
