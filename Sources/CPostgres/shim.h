#include <libpq-fe.h>
#ifdef __linux__
// Swift's modules of C libraries lack it.
#include <sys/epoll.h>
#endif
