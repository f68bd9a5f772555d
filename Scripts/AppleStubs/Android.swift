// Stands for the C library of Android, whose declarations that Varve uses are those of Glibc.
@_exported import Glibc
