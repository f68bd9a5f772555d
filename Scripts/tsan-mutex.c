/* Tells the thread sanitizer what a contended Synchronization.Mutex orders. Its slow paths stand in a
   library that is not instrumented, so a race is reported where a waiter has taken the lock: even of
   eight tasks that count up one Mutex(0). Preloaded, for Linux; used by `make tsan`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *address);
void __tsan_release(void *address);

typedef SWIFT void (*Lock)(uint32_t thread, SELF mutex);
typedef SWIFT void (*Unlock)(SELF mutex);

static Lock lock_slow;
static Unlock unlock_slow;

__attribute__((constructor)) static void find(void) {
  lock_slow = (Lock)dlsym(RTLD_NEXT, LOCK);
  unlock_slow = (Unlock)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT void lock(uint32_t thread, SELF mutex) {
  lock_slow(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void unlock(SELF mutex) __asm__(UNLOCK);
SWIFT void unlock(SELF mutex) {
  __tsan_release(mutex);
  unlock_slow(mutex);
}
