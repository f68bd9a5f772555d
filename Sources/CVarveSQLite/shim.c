#include "CVarveSQLite.h"
#include <sqlite3.h>

int varve_disable_checkpoint_on_close(void *connection) {
  return sqlite3_db_config(
      (sqlite3 *)connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

int varve_read_head(const char *path, void *bytes, int count) {
  sqlite3 *connection = 0;
  sqlite3_file *file = 0;
  int code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, 0);
  if (code == SQLITE_OK) {
    varve_disable_checkpoint_on_close(connection);
    code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  }
  if (code == SQLITE_OK && (file == 0 || file->pMethods == 0)) code = SQLITE_CANTOPEN;
  if (code == SQLITE_OK) code = file->pMethods->xRead(file, bytes, count, 0);
  if (code == SQLITE_IOERR_SHORT_READ) code = SQLITE_OK;
  sqlite3_close(connection);
  return code;
}
