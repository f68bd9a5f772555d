#include "CVarveSQLite.h"
#include <sqlite3.h>

int varve_checkpoint_on_close(void *connection, int is_on) {
  return sqlite3_db_config(
      (sqlite3 *)connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !is_on, (int *)0);
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
