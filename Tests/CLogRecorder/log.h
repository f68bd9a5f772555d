#ifndef LOG_RECORDER_LOG_H
#define LOG_RECORDER_LOG_H

// The number of bytes of one copy of the shared memory's header.
enum { index_header_size = 48 };

/// Returns the number of frames that a header of the shared memory shows.
unsigned index_frame_count(const unsigned char *header);

/// Whether the file of a log has, whole, the commit that a header of the shared memory shows.
int log_has_commit(const char *path, const unsigned char *header);

#endif
