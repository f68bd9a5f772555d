import VarveCore
import VarveStore

/// Writes the tables of a projection in one transaction.
///
/// Its own tables begin with an underscore: `_place`, `_columns`, `_links` and `_history`.
struct ProjectionWriter {
  private let connection: PostgresConnection
  private let schema: String
  /// The columns of each type.
  private var types: [String: [String: ProjectedKind]] = [:]

  /// Begins the transaction, which excludes other writers of the projection.
  init(_ connection: PostgresConnection, _ schema: String) async throws {
    self.connection = connection
    self.schema = schema
    let configure = HomeStatement.configure(.text("60000"), .text("600000"))
    _ = try await run([HomeStatement.begin(), configure])
    _ = try await run([
      PostgresCall("CREATE SCHEMA IF NOT EXISTS \(Projected.quoted(schema))"),
      PostgresCall("CREATE TABLE IF NOT EXISTS \(own("place")) (one int PRIMARY KEY, place text)"),
      PostgresCall("LOCK TABLE \(own("place")) IN EXCLUSIVE MODE"),
      PostgresCall("INSERT INTO \(own("place")) VALUES (1, '') ON CONFLICT DO NOTHING"),
      PostgresCall(
        """
        CREATE TABLE IF NOT EXISTS \(own("columns"))
          (type text, key text, kind text, PRIMARY KEY (type, key))
        """
      ),
      PostgresCall(
        """
        CREATE TABLE IF NOT EXISTS \(own("links"))
          (source text, kind text, name text, position bigint, target text)
        """
      ),
      PostgresCall(
        "CREATE INDEX IF NOT EXISTS _links_of_source ON \(own("links")) (source)"
      ),
      PostgresCall(
        """
        CREATE TABLE IF NOT EXISTS \(own("history"))
          (id text, time timestamptz, key text, change text, value jsonb, author text, message text)
        """
      ),
      PostgresCall("CREATE INDEX IF NOT EXISTS _history_of_id ON \(own("history")) (id)"),
    ])
    let columns = try await run([PostgresCall("SELECT type, key, kind FROM \(own("columns"))")])[0]
    for row in 0..<columns.count {
      let type = columns.text(row, 0) ?? ""
      types[type, default: [:]][columns.text(row, 1) ?? ""] =
        ProjectedKind(rawValue: columns.text(row, 2) ?? "") ?? .json
    }
  }

  /// The key of a table in `_columns`: no property has it, because it has NUL in the store.
  private static let table = "\u{2400}table"

  /// Returns what the tables show; nil if they show nothing.
  func place() async throws -> ProjectionPlace? {
    let rows = try await run([PostgresCall("SELECT place FROM \(own("place"))")])[0]
    return rows.count == 1 ? rows.text(0, 0).flatMap { ProjectionPlace($0) } : nil
  }

  /// Commits what was written.
  func finish(at place: ProjectionPlace) async throws {
    _ = try await run([
      PostgresCall("UPDATE \(own("place")) SET place = $1::text", [.text(place.text)]),
      HomeStatement.commit(),
    ])
  }

  // MARK: Removing

  /// Removes everything.
  mutating func clear() async throws {
    let tables = types.keys.map { PostgresCall("DROP TABLE IF EXISTS \(table($0))") }
    _ = try await run(
      tables
        + ["columns", "links", "history"].map { PostgresCall("DELETE FROM \(own($0))") }
    )
    types = [:]
  }

  /// Removes what there is of some entities.
  func remove(_ ids: [EntityID]) async throws {
    let ids = PostgresValue.texts(ids.map { Projected.text($0.text) })
    let tables =
      types.keys.sorted().map { (table($0), "_id") }
      + [(own("links"), "source"), (own("history"), "id")]
    _ = try await run(
      tables.map { PostgresCall("DELETE FROM \($0) WHERE \($1) = ANY ($1::text[])", [ids]) }
    )
  }

  // MARK: Writing

  /// Writes some entities, with their relations and their history.
  mutating func write(_ ids: [EntityID], from state: Snapshot) async throws {
    var entities: [String: [StoredEntity]] = [:]
    for entity in try await state.entities(ids) {
      if let entity { entities[entity.type.text, default: []].append(entity) }
    }
    for (type, entities) in entities.sorted(by: { $0.key < $1.key }) {
      try await prepare(type, entities)
      try await insert(type, entities)
      try await link(entities, from: state)
    }
    for id in ids { try await record(try await state.history(of: id), of: id) }
  }

  /// Creates the table and the columns that entities need.
  private mutating func prepare(_ type: String, _ entities: [StoredEntity]) async throws {
    var calls: [PostgresCall] = []
    func note(_ key: String, _ kind: String) -> PostgresCall {
      PostgresCall(
        """
        INSERT INTO \(own("columns")) VALUES ($1::text, $2::text, $3::text)
        ON CONFLICT (type, key) DO UPDATE SET kind = excluded.kind
        """,
        [.text(Projected.text(type)), .text(Projected.text(key)), .text(kind)]
      )
    }
    if types[type] == nil {
      types[type] = [:]
      calls.append(
        PostgresCall(
          """
          CREATE TABLE \(table(type))
            (_id text PRIMARY KEY, _created timestamptz, _modified timestamptz)
          """
        )
      )
      calls.append(note(Self.table, "table"))
    }
    for entity in entities {
      for key in entity.keys {
        guard let value = entity[key] else { continue }
        let (wanted, known) = (ProjectedKind(value), types[type]?[key.text])
        guard known != wanted, known != .json else { continue }
        let column = Projected.quoted(Projected.name(key.text))
        if let known {
          calls.append(
            PostgresCall(
              """
              ALTER TABLE \(table(type)) ALTER COLUMN \(column) TYPE jsonb
              USING \(known.jsonExpression(column))
              """
            )
          )
        } else {
          calls.append(
            PostgresCall("ALTER TABLE \(table(type)) ADD COLUMN \(column) \(wanted.type)")
          )
        }
        let kind = known == nil ? wanted : .json
        types[type]?[key.text] = kind
        calls.append(note(key.text, kind.rawValue))
      }
    }
    if !calls.isEmpty { _ = try await run(calls) }
  }

  private func insert(_ type: String, _ entities: [StoredEntity]) async throws {
    let columns = (types[type] ?? [:]).filter { $0.key != Self.table }.sorted { $0.key < $1.key }
    var values: [PostgresValue] = [
      .texts(entities.map { Projected.text($0.id.text) }),
      .texts(entities.map { Self.seconds($0.datestamp) }),
      .texts(entities.map { Self.seconds($0.modified) }),
    ]
    for (key, kind) in columns {
      let key = PropertyKey(key)
      values.append(.texts(entities.map { $0[key].map { Self.text($0, as: kind) } }))
    }
    let names =
      ["_id", "_created", "_modified"] + columns.map { Projected.quoted(Projected.name($0.key)) }
    let kinds = [ProjectedKind.text, .timestamp, .timestamp] + columns.map(\.value)
    let parameters = values.indices.map { "$\($0 + 1)::text[]" }
    let fields = values.indices.map { "v\($0)" }
    let expressions = zip(kinds, fields).map { $0.expression($1) }
    _ = try await run([
      PostgresCall(
        """
        INSERT INTO \(table(type)) (\(names.joined(separator: ", ")))
        SELECT \(expressions.joined(separator: ", "))
        FROM unnest(\(parameters.joined(separator: ", "))) AS new (\(fields.joined(separator: ", ")))
        """,
        values
      )
    ])
  }

  private func link(_ entities: [StoredEntity], from state: Snapshot) async throws {
    var (sources, kinds, names, positions, targets):
      ([String?], [String?], [String?], [Int64], [String?]) =
        ([], [], [], [], [])
    func add(
      _ source: EntityID,
      _ kind: String,
      _ name: PropertyKey,
      _ position: Int,
      _ target: EntityID
    ) {
      sources.append(Projected.text(source.text))
      kinds.append(kind)
      names.append(Projected.text(name.text))
      positions.append(Int64(position))
      targets.append(Projected.text(target.text))
    }
    for entity in entities {
      try await state.reading { state in
        let reader = state.reader
        var position = 0
        for edge in try await reader.edges(from: entity.id, in: nil)
        where edge.relation.kind != .member {
          guard try await reader.isLive(edge.target) else { continue }
          add(entity.id, "\(edge.relation.kind)", edge.relation.name, position, edge.target)
          position += 1
        }
        for key in try await reader.collections(of: entity.id) {
          var position = 0
          for element in try await reader.elements(of: entity.id, key: key) {
            guard try await reader.isLive(element.target) else { continue }
            add(entity.id, "member", key, position, element.target)
            position += 1
          }
        }
      }
    }
    guard !sources.isEmpty else { return }
    _ = try await run([
      PostgresCall(
        """
        INSERT INTO \(own("links"))
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
        """,
        [.texts(sources), .texts(kinds), .texts(names), .integers(positions), .texts(targets)]
      )
    ])
  }

  private func record(_ versions: [Version], of id: EntityID) async throws {
    guard !versions.isEmpty else { return }
    let values: [PostgresValue] = [
      .text(Projected.text(id.text)), .texts(versions.map { Self.seconds($0.time) }),
      .texts(versions.map { $0.key.map { Projected.text($0.text) } }),
      .texts(versions.map { $0.value == nil ? Projected.text($0.description) : "set" }),
      .texts(versions.map { $0.value.map { Self.text($0, as: .json) } }),
      .texts(versions.map { $0.author.map(Projected.text) }),
      .texts(versions.map { $0.commit.message.map(Projected.text) }),
    ]
    _ = try await run([
      PostgresCall(
        """
        INSERT INTO \(own("history"))
        SELECT $1::text, to_timestamp(t::double precision), k, c, v::jsonb, a, m
        FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
          AS new (t, k, c, v, a, m)
        """,
        values
      )
    ])
  }

  private func own(_ name: String) -> String { "\(Projected.quoted(schema))._\(name)" }

  private func table(_ type: String) -> String {
    "\(Projected.quoted(schema)).\(Projected.quoted(Projected.name(type)))"
  }

  @discardableResult
  private func run(_ calls: [PostgresCall]) async throws -> [PostgresResult] {
    try await connection.run(calls, until: .now + .seconds(600))
  }
}

extension BackendReader {
  /// Whether an entity lives.
  fileprivate func isLive(_ id: EntityID) async throws -> Bool {
    guard case .live = try await status(of: id) else { return false }
    return true
  }
}
