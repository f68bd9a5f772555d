/// The tables of a store, besides one per type. See the Design, "Tables".
package enum Schema {
  /// The application id that marks the file as a Varve store: "Varv".
  package static let applicationID: Int64 = 0x5661_7276
  /// The version of the table layout.
  static let version: Int64 = 1
  /// The version of the layout of a store whose space is sealed, which has further tables. Older
  /// builds refuse it.
  static let sealedVersion: Int64 = 2

  /// The tables of the log. Everything else is derived from it, except `varve_meta` and the
  /// requested indexes.
  static let log = """
    CREATE TABLE varve_meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE varve_commit (
      n INTEGER PRIMARY KEY, lineage, sequence, time, checksum, next_row, header, salt, payload);
    CREATE TABLE varve_block (b INTEGER PRIMARY KEY, salt, digest, payload);
    CREATE TABLE varve_withheld (n INTEGER PRIMARY KEY, time);
    CREATE TABLE varve_lineage (id INTEGER PRIMARY KEY, replica, parent, fork_sequence);
    CREATE TABLE varve_run (
      lineage, first_sequence, first_n, PRIMARY KEY (lineage, first_sequence)) WITHOUT ROWID;
    CREATE INDEX varve_run_first ON varve_run (first_n);
    """

  /// The names of the log's tables.
  static let logTables: Set<String> = [
    "varve_meta", "varve_commit", "varve_block", "varve_withheld", "varve_lineage", "varve_run",
    "varve_awaited", "varve_outline", "varve_arrival", "varve_handover", "varve_membership",
    "varve_signature", "varve_signable", "varve_verdict", "varve_letter",
  ]

  /// The tables that can be dropped and derived again.
  static let derived = """
    CREATE TABLE varve_type (number INTEGER PRIMARY KEY, name, table_name, in_order);
    CREATE TABLE varve_key (number INTEGER PRIMARY KEY, name);
    CREATE TABLE varve_column (
      type, key, column_name, kind, semantic_type, spilled, PRIMARY KEY (type, key)) WITHOUT ROWID;
    CREATE TABLE varve_identity (id PRIMARY KEY, row, type, life, born) WITHOUT ROWID;
    CREATE TABLE varve_touch (
      row, key, time, b, ordinal, PRIMARY KEY (row, key, time, b, ordinal)) WITHOUT ROWID;
    \(recentTouches)
    CREATE TABLE varve_link (
      source, kind, name, position, b, ordinal, target, time, removed, former,
      PRIMARY KEY (source, kind, name, position, b, ordinal)) WITHOUT ROWID;
    CREATE INDEX varve_link_target ON varve_link (target, kind, source);
    CREATE TABLE varve_unlink (
      add_b, add_ordinal, time, b, ordinal, PRIMARY KEY (add_b, add_ordinal, b, ordinal))
      WITHOUT ROWID;
    CREATE TABLE varve_postdated (n INTEGER PRIMARY KEY, latest);
    \(lifeCommits)
    CREATE TABLE varve_seen (
      author, other, author_sequence, other_sequence,
      PRIMARY KEY (author, other, author_sequence)) WITHOUT ROWID;
    CREATE TABLE varve_conflict (id, key, PRIMARY KEY (id, key)) WITHOUT ROWID;
    CREATE TABLE varve_unseen_death (id PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS varve_index (type_name, key_name, PRIMARY KEY (type_name, key_name)) WITHOUT ROWID;
    """

  /// The touches that are not sorted in yet. A store from before this table existed gets it when it
  /// is needed.
  static let recentTouches = """
    CREATE TABLE IF NOT EXISTS varve_recent_touch (number INTEGER PRIMARY KEY, count, touches);
    """

  /// The commits that may change lives and ownerships. A store from before this table existed gets
  /// it with the next such commit.
  static let lifeCommits = """
    CREATE TABLE IF NOT EXISTS varve_turn (n INTEGER PRIMARY KEY, creates);
    """

  /// The requested indexes on several properties; created with the first of them.
  static let jointIndexes = """
    CREATE TABLE IF NOT EXISTS varve_joint_index (
      type_name, key_names, PRIMARY KEY (type_name, key_names)) WITHOUT ROWID;
    """

  /// The searchable properties; created with the first of them.
  static let searchWishes = """
    CREATE TABLE IF NOT EXISTS varve_search (
      type_name, key_name, PRIMARY KEY (type_name, key_name)) WITHOUT ROWID;
    """

  /// The redacted cells and the horizons of compactions; created with the first of them.
  static let redactions = """
    CREATE TABLE IF NOT EXISTS varve_redaction (
      target, b, place, parts, PRIMARY KEY (target, b, place)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS varve_horizon (n INTEGER PRIMARY KEY, time, field);
    """

  /// The keys of properties that may be paired with edges, and the relations of those edges;
  /// created with the first of them.
  static let paired = """
    CREATE TABLE IF NOT EXISTS varve_paired (
      key, form, kind, name, PRIMARY KEY (key, form, kind, name)) WITHOUT ROWID;
    """

  /// The incomplete commits that are awaited, and the frontier of the outlines; created with the
  /// first of them. They belong to the log.
  static let awaited = """
    CREATE TABLE IF NOT EXISTS varve_awaited (n INTEGER PRIMARY KEY, is_outline);
    CREATE TABLE IF NOT EXISTS varve_outline (number INTEGER PRIMARY KEY, field);
    """

  /// The commits whose place in the order of arrivals is not that of their number; created with the
  /// first of them. They belong to the log.
  static let arrivals = """
    CREATE TABLE IF NOT EXISTS varve_arrival (place INTEGER PRIMARY KEY, n);
    """

  /// Who handed over commits, as far as a server knew; created with the first of them. It belongs
  /// to the log.
  static let handovers = """
    CREATE TABLE IF NOT EXISTS varve_handover (n INTEGER PRIMARY KEY, subject);
    """

  /// The tables of a sealed space beside its commits: the entries of the membership log, signed
  /// heads, the newest commit of each chain that was written here, the verdicts of commits that are not
  /// accepted, and letters. Made when the space is sealed; they belong to the log.
  static let sealed = """
    CREATE TABLE IF NOT EXISTS varve_membership (number INTEGER PRIMARY KEY, entry);
    CREATE TABLE IF NOT EXISTS varve_signature (
      hash PRIMARY KEY, replica, sequence, signature) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS varve_signable (lineage INTEGER PRIMARY KEY, sequence);
    CREATE TABLE IF NOT EXISTS varve_verdict (n INTEGER PRIMARY KEY, is_void, reason);
    CREATE TABLE IF NOT EXISTS varve_letter (
      number INTEGER PRIMARY KEY, kind, id, content, UNIQUE (kind, id));
    """

  /// The derived tables that a rebuild drops. Requested indexes stay.
  static let dropped = [
    "varve_type", "varve_key", "varve_column", "varve_identity", "varve_touch",
    "varve_recent_touch", "varve_link", "varve_unlink", "varve_postdated", "varve_turn",
    "varve_seen",
    "varve_conflict", "varve_unseen_death", "varve_redaction", "varve_horizon",
    "varve_paired",
  ]
}
