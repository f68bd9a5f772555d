#ifndef C_LOG_RECORDER_H
#define C_LOG_RECORDER_H

/// What happened to files of write-ahead logs since the last reset.
typedef struct {
  /// Calls that wrote, those of them that failed because they had to, and calls that synchronized.
  int writes, failures, syncs;
  /// How often a commit was shown to readers, and how often before it was whole in the log.
  int publications, violations;
} log_record;

/// Registers a VFS over the default one, which records. Returns SQLite's code.
int log_recorder_register(const char *name);

/// Begins anew. From the write on that has this number, counted from zero, writes to logs fail because
/// the disk is full; none do if it is negative.
void log_recorder_reset(int first_failure);

/// Returns what happened.
log_record log_recorder_record(void);

/// Returns the number of whole frames in a log's file up to its last commit: what another process would
/// read after a crash of this one. It is -1 if there is no log.
int log_recorder_committed_frames(const char *log_path);

#endif
