#include "CVarveSQLite.h"
#include "sqlite.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// A file system of SQLite in the memory of the process. SQLite's own one, `memdb`, has no shared
// memory, and therefore no write-ahead log: its readers and its writer exclude each other. With this
// one, a store in memory has the log, the locks and the snapshots of a store in a file.
//
// A file lives until the last connection closes it. The process is the only one that can open it,
// so nothing has to be durable, and a crash leaves nothing to recover.

enum { chunk_size = 1 << 16, slot_count = SQLITE_SHM_NLOCK };

typedef struct Node Node;

// A file as one connection has it open.
typedef struct {
  sqlite3_file base;
  Node *node;
  // The lock that the connection holds: SQLITE_LOCK_NONE to SQLITE_LOCK_EXCLUSIVE.
  int level;
  int is_mapped;
  // The slots of the shared memory that the connection holds, one bit each.
  unsigned shared_slots;
  unsigned exclusive_slots;
} File;

// A file as all its connections share it.
struct Node {
  // The name; null for a temporary file, and for one that was deleted while it was open.
  char *name;
  Node *next;
  int user_count;

  // Guards the content.
  pthread_rwlock_t content;
  char **chunks;
  size_t chunk_count;
  size_t chunk_capacity;
  sqlite3_int64 size;

  // Guards what follows.
  pthread_mutex_t locks;
  int reader_count;
  // The file that writes or is about to, and whether it admits no new readers.
  File *writer;
  int is_pending;
  // The regions of the shared memory, and who holds its slots: -1 for one, else the number of many.
  void **regions;
  int region_count;
  int mapping_count;
  int slots[slot_count];
};

// The files with names. The lock also guards the numbers of their users.
static pthread_mutex_t directory_lock = PTHREAD_MUTEX_INITIALIZER;
static Node *directory;

static Node *find(const char *name) {
  Node *node = directory;
  while (node != 0 && strcmp(node->name, name) != 0) node = node->next;
  return node;
}

static void leave_directory(Node *node) {
  if (node->name == 0) return;
  Node **place = &directory;
  while (*place != node) place = &(*place)->next;
  *place = node->next;
  free(node->name);
  node->name = 0;
}

static Node *make(const char *name) {
  Node *node = calloc(1, sizeof(Node));
  if (node == 0) return 0;
  if (name != 0) {
    node->name = strdup(name);
    if (node->name == 0) {
      free(node);
      return 0;
    }
    node->next = directory;
    directory = node;
  }
  pthread_rwlock_init(&node->content, 0);
  pthread_mutex_init(&node->locks, 0);
  return node;
}

static void drop_regions(Node *node) {
  for (int index = 0; index < node->region_count; index++) free(node->regions[index]);
  free(node->regions);
  node->regions = 0;
  node->region_count = 0;
}

static void destroy(Node *node) {
  for (size_t index = 0; index < node->chunk_count; index++) free(node->chunks[index]);
  free(node->chunks);
  drop_regions(node);
  pthread_rwlock_destroy(&node->content);
  pthread_mutex_destroy(&node->locks);
  free(node);
}

// Content

// Makes room for a number of bytes. New chunks are zero.
static int reserve(Node *node, sqlite3_int64 size) {
  size_t needed = (size_t)((size + chunk_size - 1) / chunk_size);
  if (needed > node->chunk_capacity) {
    size_t capacity = node->chunk_capacity * 2;
    if (capacity < needed) capacity = needed;
    char **chunks = realloc(node->chunks, capacity * sizeof(char *));
    if (chunks == 0) return SQLITE_IOERR_NOMEM;
    node->chunks = chunks;
    node->chunk_capacity = capacity;
  }
  while (node->chunk_count < needed) {
    char *chunk = calloc(1, chunk_size);
    if (chunk == 0) return SQLITE_IOERR_NOMEM;
    node->chunks[node->chunk_count++] = chunk;
  }
  return SQLITE_OK;
}

static int read_bytes(sqlite3_file *base, void *target, int count, sqlite3_int64 offset) {
  Node *node = ((File *)base)->node;
  char *bytes = target;
  pthread_rwlock_rdlock(&node->content);
  sqlite3_int64 present = node->size - offset;
  if (present < 0) present = 0;
  int left = present < count ? (int)present : count;
  int missing = count - left;
  while (left > 0) {
    int start = (int)(offset % chunk_size);
    int part = chunk_size - start < left ? chunk_size - start : left;
    memcpy(bytes, node->chunks[offset / chunk_size] + start, (size_t)part);
    bytes += part;
    offset += part;
    left -= part;
  }
  pthread_rwlock_unlock(&node->content);
  if (missing == 0) return SQLITE_OK;
  memset(bytes, 0, (size_t)missing);
  return SQLITE_IOERR_SHORT_READ;
}

static int write_bytes(sqlite3_file *base, const void *source, int count, sqlite3_int64 offset) {
  Node *node = ((File *)base)->node;
  const char *bytes = source;
  sqlite3_int64 end = offset + count;
  pthread_rwlock_wrlock(&node->content);
  int code = reserve(node, end);
  while (code == SQLITE_OK && count > 0) {
    int start = (int)(offset % chunk_size);
    int part = chunk_size - start < count ? chunk_size - start : count;
    memcpy(node->chunks[offset / chunk_size] + start, bytes, (size_t)part);
    bytes += part;
    offset += part;
    count -= part;
  }
  if (code == SQLITE_OK && node->size < end) node->size = end;
  pthread_rwlock_unlock(&node->content);
  return code;
}

// Shortens a file. What follows is zero, should the file grow again.
static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
  Node *node = ((File *)base)->node;
  pthread_rwlock_wrlock(&node->content);
  if (size < node->size) {
    size_t kept = (size_t)((size + chunk_size - 1) / chunk_size);
    while (node->chunk_count > kept) free(node->chunks[--node->chunk_count]);
    int rest = (int)(size % chunk_size);
    if (rest > 0) memset(node->chunks[kept - 1] + rest, 0, (size_t)(chunk_size - rest));
    node->size = size;
  }
  pthread_rwlock_unlock(&node->content);
  return SQLITE_OK;
}

static int synchronize(sqlite3_file *base, int flags) {
  (void)base;
  (void)flags;
  return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  Node *node = ((File *)base)->node;
  pthread_rwlock_rdlock(&node->content);
  *size = node->size;
  pthread_rwlock_unlock(&node->content);
  return SQLITE_OK;
}

// Locks

static int lock_file(sqlite3_file *base, int level) {
  File *file = (File *)base;
  Node *node = file->node;
  if (level <= file->level) return SQLITE_OK;
  int code = SQLITE_OK;
  pthread_mutex_lock(&node->locks);
  int is_foreign = node->writer != 0 && node->writer != file;
  if (level == SQLITE_LOCK_SHARED) {
    if (node->is_pending) {
      code = SQLITE_BUSY;
    } else {
      node->reader_count += 1;
      file->level = level;
    }
  } else if (is_foreign) {
    code = SQLITE_BUSY;
  } else {
    node->writer = file;
    file->level = level;
    if (level > SQLITE_LOCK_RESERVED) node->is_pending = 1;
    if (level == SQLITE_LOCK_EXCLUSIVE && node->reader_count > 1) {
      file->level = SQLITE_LOCK_PENDING;
      code = SQLITE_BUSY;
    }
  }
  pthread_mutex_unlock(&node->locks);
  return code;
}

static int unlock_file(sqlite3_file *base, int level) {
  File *file = (File *)base;
  Node *node = file->node;
  if (level >= file->level) return SQLITE_OK;
  pthread_mutex_lock(&node->locks);
  if (node->writer == file) {
    node->writer = 0;
    node->is_pending = 0;
  }
  if (level == SQLITE_LOCK_NONE) node->reader_count -= 1;
  file->level = level;
  pthread_mutex_unlock(&node->locks);
  return SQLITE_OK;
}

static int check_reserved(sqlite3_file *base, int *is_reserved) {
  Node *node = ((File *)base)->node;
  pthread_mutex_lock(&node->locks);
  *is_reserved = node->writer != 0;
  pthread_mutex_unlock(&node->locks);
  return SQLITE_OK;
}

// Shared memory, which is the index of the write-ahead log

static int map_region(sqlite3_file *base, int number, int size, int extends, void volatile **out) {
  File *file = (File *)base;
  Node *node = file->node;
  int code = SQLITE_OK;
  *out = 0;
  pthread_mutex_lock(&node->locks);
  if (!file->is_mapped) {
    file->is_mapped = 1;
    node->mapping_count += 1;
  }
  while (extends && code == SQLITE_OK && node->region_count <= number) {
    size_t count = (size_t)node->region_count + 1;
    void **regions = realloc(node->regions, count * sizeof(void *));
    void *region = calloc(1, (size_t)size);
    if (regions != 0) node->regions = regions;
    if (regions != 0 && region != 0) {
      regions[node->region_count++] = region;
    } else {
      free(region);
      code = SQLITE_IOERR_NOMEM;
    }
  }
  if (number < node->region_count) *out = node->regions[number];
  pthread_mutex_unlock(&node->locks);
  return code;
}

static unsigned slot_mask(int first, int count) { return ((1u << count) - 1) << first; }

static void release_slots(File *file, unsigned shared, unsigned exclusive) {
  for (int slot = 0; slot < slot_count; slot++) {
    if (file->shared_slots & shared & 1u << slot) file->node->slots[slot] -= 1;
    if (file->exclusive_slots & exclusive & 1u << slot) file->node->slots[slot] = 0;
  }
  file->shared_slots &= ~shared;
  file->exclusive_slots &= ~exclusive;
}

static int lock_slots(sqlite3_file *base, int first, int count, int flags) {
  File *file = (File *)base;
  Node *node = file->node;
  unsigned mask = slot_mask(first, count);
  int code = SQLITE_OK;
  pthread_mutex_lock(&node->locks);
  if (flags & SQLITE_SHM_UNLOCK) {
    release_slots(file, mask, mask);
  } else if (flags & SQLITE_SHM_SHARED) {
    if (!(file->shared_slots & mask)) {
      if (node->slots[first] < 0) {
        code = SQLITE_BUSY;
      } else {
        node->slots[first] += 1;
        file->shared_slots |= mask;
      }
    }
  } else {
    for (int slot = first; slot < first + count; slot++) {
      if (node->slots[slot] != 0 && !(file->exclusive_slots & 1u << slot)) code = SQLITE_BUSY;
    }
    if (code == SQLITE_OK) {
      for (int slot = first; slot < first + count; slot++) node->slots[slot] = -1;
      file->exclusive_slots |= mask;
    }
  }
  pthread_mutex_unlock(&node->locks);
  return code;
}

static void order_memory(sqlite3_file *base) {
  Node *node = ((File *)base)->node;
  __sync_synchronize();
  pthread_mutex_lock(&node->locks);
  pthread_mutex_unlock(&node->locks);
}

static int unmap(sqlite3_file *base, int deletes) {
  (void)deletes;
  File *file = (File *)base;
  Node *node = file->node;
  pthread_mutex_lock(&node->locks);
  release_slots(file, ~0u, ~0u);
  if (file->is_mapped) {
    file->is_mapped = 0;
    node->mapping_count -= 1;
    if (node->mapping_count == 0) drop_regions(node);
  }
  pthread_mutex_unlock(&node->locks);
  return SQLITE_OK;
}

// Files

static int control(sqlite3_file *base, int code, void *argument) {
  (void)base;
  (void)code;
  (void)argument;
  return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base) {
  (void)base;
  return 512;
}

static int characteristics(sqlite3_file *base) {
  (void)base;
  return SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_SEQUENTIAL
      | SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int close_file(sqlite3_file *base) {
  File *file = (File *)base;
  Node *node = file->node;
  unmap(base, 0);
  unlock_file(base, SQLITE_LOCK_NONE);
  pthread_mutex_lock(&directory_lock);
  node->user_count -= 1;
  int is_last = node->user_count == 0;
  if (is_last) leave_directory(node);
  pthread_mutex_unlock(&directory_lock);
  if (is_last) destroy(node);
  return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_bytes,
    .xWrite = write_bytes,
    .xTruncate = truncate_file,
    .xSync = synchronize,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = map_region,
    .xShmLock = lock_slots,
    .xShmBarrier = order_memory,
    .xShmUnmap = unmap,
};

static int open_file(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags) {
  (void)vfs;
  File *file = (File *)base;
  memset(file, 0, sizeof(File));
  int code = SQLITE_OK;
  pthread_mutex_lock(&directory_lock);
  Node *node = name == 0 ? 0 : find(name);
  if (node == 0) {
    node = flags & SQLITE_OPEN_CREATE ? make(name) : 0;
    if (node == 0) code = flags & SQLITE_OPEN_CREATE ? SQLITE_NOMEM : SQLITE_CANTOPEN;
  }
  if (node != 0) node->user_count += 1;
  pthread_mutex_unlock(&directory_lock);
  if (code != SQLITE_OK) return code;
  file->node = node;
  file->base.pMethods = &methods;
  if (out_flags != 0) *out_flags = flags;
  return SQLITE_OK;
}

// A file that nobody has open is gone already.
static int delete_file(sqlite3_vfs *vfs, const char *name, int is_durable) {
  (void)vfs;
  (void)is_durable;
  pthread_mutex_lock(&directory_lock);
  Node *node = find(name);
  if (node != 0) leave_directory(node);
  pthread_mutex_unlock(&directory_lock);
  return SQLITE_OK;
}

static int has_file(sqlite3_vfs *vfs, const char *name, int flags, int *is_there) {
  (void)vfs;
  (void)flags;
  pthread_mutex_lock(&directory_lock);
  *is_there = find(name) != 0;
  pthread_mutex_unlock(&directory_lock);
  return SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int capacity, char *out) {
  (void)vfs;
  sqlite3_snprintf(capacity, out, "%s", name);
  return SQLITE_OK;
}

// What has nothing to do with files, the system's does.

static sqlite3_vfs *system_vfs(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return system_vfs(vfs)->xRandomness(system_vfs(vfs), count, bytes);
}

static int pause_thread(sqlite3_vfs *vfs, int microseconds) {
  return system_vfs(vfs)->xSleep(system_vfs(vfs), microseconds);
}

static int current_time(sqlite3_vfs *vfs, double *time) {
  return system_vfs(vfs)->xCurrentTime(system_vfs(vfs), time);
}

static int last_error(sqlite3_vfs *vfs, int capacity, char *text) {
  (void)vfs;
  if (capacity > 0) text[0] = 0;
  return 0;
}

static sqlite3_vfs memory_vfs = {
    .iVersion = 1,
    .szOsFile = sizeof(File),
    .mxPathname = 128,
    .zName = "varve-memory",
    .xOpen = open_file,
    .xDelete = delete_file,
    .xAccess = has_file,
    .xFullPathname = full_name,
    .xRandomness = randomness,
    .xSleep = pause_thread,
    .xCurrentTime = current_time,
    .xGetLastError = last_error,
};

int varve_register_memory(void) {
  memory_vfs.pAppData = sqlite3_vfs_find(0);
  if (memory_vfs.pAppData == 0) return SQLITE_ERROR;
  return sqlite3_vfs_register(&memory_vfs, 0);
}
