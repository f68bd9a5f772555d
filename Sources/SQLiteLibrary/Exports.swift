#if SQLCipher && canImport(Darwin)
@_exported public import SQLCipher
#else
@_exported public import CSQLite
#endif
