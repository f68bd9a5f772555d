#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CVarveSQLite.h"
#include "sqlite.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/statfs.h>
#else
#include <TargetConditionals.h>
#include <sys/mount.h>
#include <sys/param.h>
#endif

#ifdef F_OFD_SETLK
static int change_lock(int descriptor, int64_t place, short kind) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = (off_t)place;
  lock.l_len = 1;
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}
#endif

int varve_lock_place(int descriptor, int64_t place, int is_on) {
#ifdef F_OFD_SETLK
  return change_lock(descriptor, place, is_on ? F_RDLCK : F_UNLCK);
#else
  (void)descriptor, (void)place, (void)is_on;
  return ENOTSUP;
#endif
}

int varve_is_locked(int descriptor, int64_t from, int64_t count, int *process) {
  *process = 0;
#ifdef F_OFD_GETLK
  if (count <= 0) return 0;
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = (off_t)from;
  lock.l_len = (off_t)count;
  if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return 0;
  *process = (int)lock.l_pid;
  return 1;
#else
  (void)descriptor, (void)from, (void)count;
  return 0;
#endif
}

int64_t varve_birth(int descriptor) {
#ifdef __linux__
  struct statx status;
  memset(&status, 0, sizeof status);
  if (statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0) return 0;
  if (!(status.stx_mask & STATX_BTIME)) return 0;
  return (int64_t)status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
#else
  struct stat status;
  if (fstat(descriptor, &status) != 0) return 0;
  return (int64_t)status.st_birthtimespec.tv_sec * 1000000000 + status.st_birthtimespec.tv_nsec;
#endif
}

static const char *note_name =
#ifdef __linux__
    "user.varve.use";
#else
    "varve.use";
#endif

int varve_read_note(int descriptor, void *bytes, int count) {
#ifdef __linux__
  return (int)fgetxattr(descriptor, note_name, bytes, (size_t)count);
#else
  return (int)fgetxattr(descriptor, note_name, bytes, (size_t)count, 0, 0);
#endif
}

int varve_write_note(int descriptor, const void *bytes, int count) {
#ifdef __linux__
  return fsetxattr(descriptor, note_name, bytes, (size_t)count, 0) == 0 ? 0 : errno;
#else
  return fsetxattr(descriptor, note_name, bytes, (size_t)count, 0, 0) == 0 ? 0 : errno;
#endif
}

enum place { place_local, place_layered, place_shared };

// Where the files of a path are: here, in layers of other folders, or behind a server or a program.
static enum place place_of(const char *path) {
#if defined(__APPLE__) && !TARGET_OS_OSX
  // The files of an application are local on these systems, which want a reason for statfs().
  (void)path;
  return place_local;
#else
  struct statfs system;
  if (statfs(path, &system) != 0) return place_local;
#ifdef __linux__
  switch ((uint32_t)system.f_type) {
  case 0x794C7630: // overlay
  case 0x61756673: // aufs
    return place_layered;
  case 0x6969:     // NFS
  case 0x517B:     // SMB
  case 0xFF534D42: // CIFS
  case 0xFE534D42: // SMB2
  case 0x65735546: // FUSE
  case 0x01021997: // 9P
  case 0x00C36400: // Ceph
  case 0x5346414F: // AFS
  case 0x6B414653: // kAFS
  case 0x73757245: // Coda
  case 0x47504653: // GPFS
  case 0x0BD00BD0: // Lustre
  case 0x786F4256: // folders shared by VirtualBox
    return place_shared;
  default: return place_local;
  }
#else
  int is_local = (system.f_flags & MNT_LOCAL) != 0 && strstr(system.f_fstypename, "fuse") == 0;
  return is_local ? place_local : place_shared;
#endif
#endif
}

int varve_keeps_numbers(const char *path) { return place_of(path) == place_local; }

int varve_shares_locks(const char *path) { return place_of(path) != place_shared; }

int varve_has_moved(void *connection) {
  int moved = 0;
  int code = sqlite3_file_control((sqlite3 *)connection, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && moved;
}
