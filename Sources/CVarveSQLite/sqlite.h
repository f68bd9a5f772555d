// The header of the SQLite that is linked: the system's, or that of Zetetic's package.
#if defined(VARVE_SQLCIPHER) && defined(__APPLE__)
#include <SQLCipher/sqlite3.h>
#else
#include <sqlite3.h>
#endif
