#include "CVarveSQLite.h"
#include "sqlite.h"

int varve_checkpoint_on_close(void *connection, int is_on) {
  return sqlite3_db_config(
      (sqlite3 *)connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !is_on, (int *)0);
}

int varve_defend(void *connection, int is_on) {
  return sqlite3_db_config(
      (sqlite3 *)connection, SQLITE_DBCONFIG_DEFENSIVE, is_on, (int *)0);
}

int varve_refuse_quoted_texts(void *connection) {
  int code = sqlite3_db_config((sqlite3 *)connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
  if (code != SQLITE_OK) return code;
  return sqlite3_db_config((sqlite3 *)connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
}

static int last_errno(sqlite3_file *file) {
  int code = 0;
  if (file != 0 && file->pMethods != 0) {
    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &code);
  }
  return code;
}

int varve_write_errno(void *connection) {
  sqlite3_file *file = 0;
  int code = 0;
  sqlite3_file_control((sqlite3 *)connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  code = last_errno(file);
  if (code != 0) return code;
  file = 0;
  sqlite3_file_control((sqlite3 *)connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return last_errno(file);
}

int varve_read_head(const char *path, void *bytes, int count) {
  sqlite3 *connection = 0;
  sqlite3_file *file = 0;
  int code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, 0);
  if (code == SQLITE_OK) {
    varve_checkpoint_on_close(connection, 0);
    code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  }
  if (code == SQLITE_OK && (file == 0 || file->pMethods == 0)) code = SQLITE_CANTOPEN;
  if (code == SQLITE_OK) code = file->pMethods->xRead(file, bytes, count, 0);
  if (code == SQLITE_IOERR_SHORT_READ) code = SQLITE_OK;
  sqlite3_close(connection);
  return code;
}

int varve_log_mark(void *connection, uint64_t *words) {
  enum { region_size = 32 * 1024, word_count = 5 };
  sqlite3_file *file = 0;
  sqlite3_file_control((sqlite3 *)connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  // Asking for the memory would create it if the log is not open.
  if (file == 0 || file->pMethods == 0) return 0;
  file = 0;
  sqlite3_file_control((sqlite3 *)connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file == 0 || file->pMethods == 0 || file->pMethods->iVersion < 2) return 0;
  void volatile *region = 0;
  file->pMethods->xShmMap(file, 0, region_size, 0, &region);
  if (region == 0) return 0;
  // After the version: a counter of changes, the number of frames, checksums and salts.
  const uint64_t volatile *index = (const uint64_t volatile *)region + 1;
  for (int word = 0; word < word_count; word++) {
    words[word] = __atomic_load_n(index + word, __ATOMIC_RELAXED);
  }
  return 1;
}
