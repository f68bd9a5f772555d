/* Lets programs whose main thread ends in dispatch_main run under valgrind, by which it is preloaded.
   libdispatch parks that thread by sigsuspend(2) with a mask in memory that may only be read; valgrind
   (3.19 and before) strikes a signal of its own out of the mask where it stands, and dies of it:
   "VALGRIND INTERNAL ERROR: signal 11". Here it gets a copy. Used by `make bench-check` and `make
   profile`. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
  sigset_t copy = *mask;
  return syscall(SYS_rt_sigsuspend, &copy, _NSIG / 8);
}
