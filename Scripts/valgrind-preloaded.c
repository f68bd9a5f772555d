/* Valgrind preloads this into the programs whose instructions `make bench-check` and `make profile` count. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Lets programs whose main thread ends in dispatch_main run under valgrind. libdispatch parks that
   thread by sigsuspend(2) with a mask in memory that may only be read; valgrind (3.19 and before)
   strikes a signal of its own out of the mask where it stands, and dies of it:
   "VALGRIND INTERNAL ERROR: signal 11". Here it gets a copy. */
int sigsuspend(const sigset_t *mask) {
  sigset_t copy = *mask;
  return syscall(SYS_rt_sigsuspend, &copy, _NSIG / 8);
}

/* Slows the clock by which reads and writes take turns. A program runs some fifty times slower under
   valgrind, and slower still on a busy machine, so a task that yields every millisecond would yield
   within nearly every operation, and counts would rise with the machine's load. Deadlines, which
   have a delta, keep their time. */
uint64_t dispatch_time(uint64_t when, int64_t delta) {
  static uint64_t (*next)(uint64_t, int64_t);
  if (!next) next = (uint64_t(*)(uint64_t, int64_t))dlsym(RTLD_NEXT, "dispatch_time");
  uint64_t time = next(when, delta);
  return when == 0 && delta == 0 ? time / 1000 : time;
}
