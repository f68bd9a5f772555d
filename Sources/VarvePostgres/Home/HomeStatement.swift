/// Every statement that a home issues, except migrations.
///
/// Each of those about a space concerns one space alone: its first parameter is the space, and
/// every table in it is limited by that. So the tables can be distributed by space.
package enum HomeStatement: String, CaseIterable {
  // MARK: Transactions

  case begin = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
  case beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
  /// The limit of a transaction that reads, for a host that is stopped meanwhile.
  case configureReading = """
    SELECT set_config('idle_in_transaction_session_timeout', $1::text, true)
    """
  case commit = "COMMIT"
  case rollback = "ROLLBACK"
  case beat = "SELECT 1"
  /// The session in which a statement runs.
  case session = "SELECT pg_backend_pid()"
  case listen = "LISTEN varve"
  /// Whether the role may write in every table that hosts write in.
  case rights = """
    SELECT current_setting('transaction_read_only') = 'off' AND coalesce(bool_and(
      has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
        AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')), false)
    FROM pg_class
    WHERE relnamespace = to_regnamespace('varve') AND relkind IN ('r', 'p')
      AND relname <> 'migrations'
    """
  /// The database, a table and the timeline, one of which differs in a copy that was restored.
  case era = """
    SELECT (SELECT oid FROM pg_database WHERE datname = current_database()) || '/'
      || 'varve.migrations'::regclass::oid || '/'
      || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
    WHERE NOT pg_is_in_recovery()
    """
  /// The settings of a transaction that writes. A server's stronger setting is not weakened.
  case configure = """
    SELECT set_config('lock_timeout', $1::text, true),
      set_config('idle_in_transaction_session_timeout', $2::text, true),
      set_config('statement_timeout', '0', true),
      set_config('synchronous_commit',
        CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END,
        true)
    """
  /// Waits for no disk: an announcement that a server loses with its power has no listener left.
  case notify = """
    SELECT set_config('synchronous_commit', 'off', true), pg_notify('varve', payload)
    FROM unnest($1::text[]) AS payload
    """

  // MARK: The spaces of a home

  case migration = "SELECT number FROM varve.migrations ORDER BY number DESC LIMIT 1"
  case spaces = "SELECT space, name FROM varve.names ORDER BY name COLLATE \"C\""
  /// Lets one host at a time add names, so that no two add names that differ in case only.
  case lockNames = "SELECT pg_advisory_xact_lock(hashtext('varve.names'))"
  case namesAlike = "SELECT name FROM varve.names WHERE lower(name) = lower($1::text)"
  case addName = """
    INSERT INTO varve.names (name, space) VALUES ($1::text, $2::uuid) ON CONFLICT DO NOTHING
    RETURNING 1
    """
  case removeName = "DELETE FROM varve.names WHERE name = $1::text AND space = $2::uuid"

  case spacesAmong = "SELECT space FROM varve.names WHERE space = ANY ($1::uuid[])"
  case notes = """
    SELECT name, text FROM varve.notes WHERE kind = $1::text ORDER BY name COLLATE "C"
    """
  case addNote = """
    INSERT INTO varve.notes (kind, name, text, seal)
    VALUES ($1::text, $2::text, $3::text, $4::bigint)
    ON CONFLICT DO NOTHING RETURNING 1
    """
  case replaceNote = """
    INSERT INTO varve.notes (kind, name, text, seal)
    VALUES ($1::text, $2::text, $3::text, $4::bigint)
    ON CONFLICT (kind, name) DO UPDATE SET text = excluded.text, seal = excluded.seal
    """
  case removeNote = "DELETE FROM varve.notes WHERE kind = $1::text AND name = $2::text RETURNING 1"

  // MARK: A space

  case addSpace = """
    INSERT INTO varve.spaces
      (space, name, incarnation, replica, head, running, format, least_host, seal, sealed)
    VALUES ($1::uuid, $2::text, $3::bigint, $4::uuid, 0, 0, $5::bigint, 1, $6::bigint, 0)
    """
  /// The lock, which a transaction waits for before it reads: a statement reads by the snapshot
  /// from before its own wait.
  case lock = "SELECT name FROM varve.spaces WHERE space = $1::uuid FOR UPDATE"
  case head = """
    SELECT incarnation, replica, head, running, format, least_host,
      (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
      current_setting('synchronous_standby_names') <> ''
    FROM varve.spaces WHERE space = $1::uuid
    """
  /// Fails, and with it the transaction, if the space is not at the position. No commit can be
  /// passed over by a client that sends it together with this.
  case raise = """
    WITH raised AS (
      UPDATE varve.spaces
      SET head = $5::bigint, running = $6::bigint, incarnation = $7::bigint, replica = $8::uuid,
        seal = $9::bigint, sealed = $5::bigint
      WHERE space = $1::uuid AND incarnation = $2::bigint AND head = $3::bigint
        AND running = $4::bigint
      RETURNING 1)
    SELECT 1 / count(*) FROM raised
    """
  /// A small commit. Citus sends one row with its space to the worker that has the space, and
  /// commits there alone; for rows from a subquery it commits in two phases.
  case addArrival = """
    INSERT INTO varve.arrivals
      (space, position, kind, running, replica, sequence, hash, principal, header, blocks, bytes,
        seal)
    VALUES ($1::uuid, $2::bigint, $3::bigint, $4::bigint, $5::uuid, $6::bigint, $7::bytea,
      $8::text, $9::bytea, $10::bigint, $11::bigint, $12::bigint)
    """
  case addArrivals = """
    INSERT INTO varve.arrivals
      (space, position, kind, running, replica, sequence, hash, principal, header, blocks, bytes,
        seal)
    SELECT $1::uuid, *
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::uuid[], $6::bigint[], $7::bytea[],
      $8::text[], $9::bytea[], $10::bigint[], $11::bigint[], $12::bigint[])
    """
  case addBlock = """
    INSERT INTO varve.blocks (space, position, index, salt, digest, payload, seal)
    VALUES ($1::uuid, $2::bigint, $3::bigint, $4::bytea, $5::bytea, $6::bytea, $7::bigint)
    """
  case addBlocks = """
    INSERT INTO varve.blocks (space, position, index, salt, digest, payload, seal)
    SELECT $1::uuid, *
    FROM unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bigint[])
    """
  /// Fails, and with it the transaction, unless the arrivals after a position are as many as they
  /// should be, each with all its blocks. No head is raised over what is not there.
  case complete = """
    SELECT 1 / (count(*) = $3::bigint AND coalesce(bool_and(arrival.blocks = (
        SELECT count(*) FROM varve.blocks AS block
        WHERE block.space = $1::uuid AND block.position = arrival.position)), true))::int
    FROM varve.arrivals AS arrival
    WHERE space = $1::uuid AND position > $2::bigint
    """
  case replaceBlocks = """
    UPDATE varve.blocks AS block
    SET salt = other.salt, digest = other.digest, payload = other.payload, seal = other.seal
    FROM unnest($5::bigint[], $6::bytea[], $7::bytea[], $8::bytea[], $9::bigint[])
      AS other (index, salt, digest, payload, seal)
    WHERE block.space = $1::uuid AND block.index = other.index
      AND block.position IN (
        SELECT position FROM varve.arrivals
        WHERE space = $1::uuid AND replica = $2::uuid AND sequence = $3::bigint
          AND hash = $4::bytea)
    """
  /// A write, so that its commit proves that the server is still the one to which commits go.
  case probe = """
    INSERT INTO varve.probes (space, slot, beat) VALUES ($1::uuid, $2::bigint, 1)
    ON CONFLICT (space, slot) DO UPDATE SET beat = probes.beat + 1
    """

  // MARK: Arrivals of a space

  /// The number of commits; other arrivals are about commits that arrived before, or about none.
  case commitCount = """
    SELECT count(*) FROM varve.arrivals WHERE space = $1::uuid AND kind <= 2
    """

  case running = """
    SELECT running FROM varve.arrivals WHERE space = $1::uuid AND position = $2::bigint
    """
  case arrivals = """
    SELECT position, kind, replica, sequence, hash, principal, header, blocks, bytes
    FROM varve.arrivals
    WHERE space = $1::uuid AND position > $2::bigint AND position <= $3::bigint
    ORDER BY position LIMIT $4::bigint
    """
  case blocks = """
    SELECT position, index, salt, digest, payload FROM varve.blocks
    WHERE space = $1::uuid AND position >= $2::bigint AND position <= $4::bigint
      AND (position, index) > ($2::bigint, $3::bigint)
    ORDER BY position, index LIMIT $5::bigint
    """

  // MARK: Checks

  case checkMigrations = "SELECT number FROM varve.migrations ORDER BY number"
  case checkNotes = "SELECT kind, name, text, seal FROM varve.notes ORDER BY kind, name"
  case checkSpaces = """
    SELECT space, name, incarnation, replica, head, running, format, least_host, seal, sealed
    FROM varve.spaces
    """
  case checkSpacesOfArrivals = "SELECT DISTINCT space FROM varve.arrivals"
  case checkSpacesOfBlocks = "SELECT DISTINCT space FROM varve.blocks"
  case checkSpacesOfProbes = "SELECT DISTINCT space FROM varve.probes"
  case checkArrivals = """
    SELECT position, kind, running, replica, sequence, hash, principal, header, blocks, bytes, seal
    FROM varve.arrivals WHERE space = $1::uuid AND position > $2::bigint
    ORDER BY position LIMIT $3::bigint
    """
  case checkBlocks = """
    SELECT position, index, salt, digest, payload, seal FROM varve.blocks
    WHERE space = $1::uuid AND (position, index) > ($2::bigint, $3::bigint)
    ORDER BY position, index LIMIT $4::bigint
    """

  // MARK: The end of a space

  case removeSpace = "DELETE FROM varve.spaces WHERE space = $1::uuid"
  case removeArrivals = "DELETE FROM varve.arrivals WHERE space = $1::uuid"
  case removeBlocks = "DELETE FROM varve.blocks WHERE space = $1::uuid"
  case removeProbes = "DELETE FROM varve.probes WHERE space = $1::uuid"

  /// Returns a call of the statement.
  func callAsFunction(_ values: PostgresValue...) -> PostgresCall { PostgresCall(rawValue, values) }

  /// Whether the statement concerns the home as a whole.
  package var isOfHome: Bool {
    [
      .migration, .spaces, .namesAlike,
      .addName, .removeName, .spacesAmong, .notes, .addNote, .replaceNote,
      .removeNote, .checkMigrations, .checkNotes, .era,
    ].contains(self)
  }

  /// Whether the statement looks at all rows of a table, for a check of the whole home.
  package var isOfCheck: Bool {
    [.checkSpaces, .checkSpacesOfArrivals, .checkSpacesOfBlocks, .checkSpacesOfProbes]
      .contains(self)
  }
}
