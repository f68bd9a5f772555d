import Synchronization
import VarveCore

/// Which copy of its data a database is, as far as it shows: a dump that was restored is in another
/// database or in other tables, and a server that was restored to a point in time, or has replaced
/// another one, writes another timeline.
///
/// The home has a note of the copy that hosts last used. While a host runs, it notices by its indexes
/// whether a space went back, and then keeps the note up to date. If no host ran, the first one finds
/// the note of another copy, and gives every space a new incarnation.
final class HomeEra: Sendable {
  private enum State {
    case unknown
    case known(String)
  }

  private let state = Mutex(State.unknown)

  private static let kind = "home"
  private static let name = "copy"

  /// Gives the spaces new incarnations if no host ran when the home became another copy.
  ///
  /// A role that may only read changes nothing.
  func settle(_ home: PostgresHome) async throws {
    guard case .unknown = state.withLock({ $0 }) else { return }
    let call = HomeStatement.notes(.text(Self.kind))
    let rows = try await home.reading { connection, deadline in
      try await connection.run([call], until: deadline)[0]
    }
    guard let present = try await Self.present(at: home) else {
      return state.withLock { $0 = .known("") }
    }
    let noted = (0..<rows.count).first { rows.text($0, 0) == Self.name }.flatMap {
      rows.text($0, 1)
    }
    if noted != present {
      do {
        if noted != nil { _ = try await home.renewIncarnations() }
        try await note(present, at: home)
      } catch let error as VarveError where error.isOfRights {
        // A host that never writes leaves it to others.
      } catch let error as VarveError where error.code == .diskFull {
        // Reads go on; the next look tries again.
        return
      }
    }
    state.withLock { $0 = .known(present) }
  }

  /// Notes that this host went on while the home became another copy.
  func follow(_ home: PostgresHome) async throws {
    guard case .known(let former) = state.withLock({ $0 }), !former.isEmpty,
      let present = try await Self.present(at: home), present != former
    else { return }
    try await note(present, at: home)
    state.withLock { $0 = .known(present) }
  }

  private func note(_ copy: String, at home: PostgresHome) async throws {
    try await home.replace(HomeNote(Self.kind, Self.name, copy))
  }

  /// Returns the copy that the database is; nil if it does not show that.
  private static func present(at home: PostgresHome) async throws -> String? {
    do {
      let rows = try await home.reading { connection, deadline in
        try await connection.run([HomeStatement.era()], until: deadline)[0]
      }
      return rows.count == 1 ? rows.text(0, 0) : nil
    } catch let error as VarveError where error.code == .inputOutput && error.isOfServer {
      // Some services do not have the functions.
      return nil
    }
  }
}

extension VarveError {
  /// Whether the role may not do it, or the server takes no writes.
  fileprivate var isOfRights: Bool {
    code == .readOnly || (code == .inputOutput && message == "the database refuses access")
  }

  /// Whether a statement failed, and not the connection.
  fileprivate var isOfServer: Bool {
    message == "the database failed" || message == "the database refuses access"
  }
}
