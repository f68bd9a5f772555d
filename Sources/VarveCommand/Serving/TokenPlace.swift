#if CommandLine && Server
import Foundation
import VarveCore
import VarvePostgres
import VarveServer
import VarveStore

/// Where the tokens of a server are: in its folder, or at the home that its spaces share.
enum TokenPlace {
  case folder(String)
  case home(PostgresHome)

  /// The reader of the tokens.
  var file: TokenFile {
    switch self {
    case .folder(let folder): TokenFile(Self.path(in: folder))
    case .home(let home): TokenFile(.postgres(home))
    }
  }

  /// Returns the tokens that can be read, and why others cannot.
  func entries() async throws -> (entries: [TokenFile.Entry], fault: VarveError?) {
    switch self {
    case .folder(let folder): try TokenFile.readable(Self.path(in: folder))
    case .home(let home): try await TokenFile.readable(at: .postgres(home))
    }
  }

  /// Adds a token and returns it.
  func create(_ name: String, for principal: Principal, expiry: Date?) async throws -> String {
    switch self {
    case .folder(let folder):
      try TokenFile.create(name, for: principal, expiry: expiry, in: Self.path(in: folder))
    case .home(let home):
      try await TokenFile.create(name, for: principal, expiry: expiry, at: .postgres(home))
    }
  }

  /// Removes a token. Returns whether there was one.
  func revoke(_ name: String) async throws -> Bool {
    switch self {
    case .folder(let folder): try TokenFile.revoke(name, in: Self.path(in: folder))
    case .home(let home): try await TokenFile.revoke(name, at: .postgres(home))
    }
  }

  private static func path(in folder: String) -> String { "\(folder)/tokens.jsonl" }
}
#endif
