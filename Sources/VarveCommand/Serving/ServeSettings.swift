#if CommandLine && Server
import ArgumentParser
import Configuration
import Foundation
import Logging
import SystemPackage
import VarveCore
import VarveJSON
import VarveServer

/// The options of `varve serve`. An option of the command line overrides the environment, which
/// overrides the file.
struct ServeSettings {
  /// The names of the settings in the file. In the environment they are in capitals, with an
  /// underscore for each dot, after `VARVE_`.
  static let names: Set<String> = [
    "cache", "cacheLimit", "connections", "home", "host", "indexesFrom", "jwt.audience",
    "jwt.issuer",
    "jwt.keys", "openSpaces",
    "limits.graceSeconds", "limits.principalRequests", "limits.queryMemoryBytes",
    "limits.requestSeconds",
    "limits.resultBytes", "logLevel", "names", "open", "origins", "port",
    "quota.bytes", "quota.commits", "quota.requests", "spaceQuota.bytes", "spaceQuota.commits",
    "spaceQuota.requests", "tls.certificate", "tls.key",
  ]

  private let reader: ConfigReader

  /// Reads the settings outside of the command line.
  ///
  /// - Parameter file: the file with a JSON object; nil for none.
  init(file: String?) async throws {
    var providers: [any ConfigProvider] = [
      EnvironmentVariablesProvider().prefixKeys(with: "varve")
    ]
    if let file {
      try Self.check(file)
      providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
    }
    reader = ConfigReader(providers: providers)
  }

  func text(_ name: String) -> String? { reader.string(forKey: ConfigKey(name)) }

  func texts(_ name: String) -> [String]? { reader.stringArray(forKey: ConfigKey(name)) }

  func flag(_ name: String) throws -> Bool? {
    if let flag = reader.bool(forKey: ConfigKey(name)) { return flag }
    guard text(name) == nil else { throw Self.malformed(name, "true or false") }
    return nil
  }

  func count(_ name: String) throws -> Int? {
    if let count = reader.int(forKey: ConfigKey(name)) { return count }
    guard text(name) == nil else { throw Self.malformed(name, "an integer") }
    return nil
  }

  /// Returns what a minute's quota is.
  func quota(_ name: String) throws -> ServerQuotas.Quota {
    ServerQuotas.Quota(
      requests: try count("\(name).requests"),
      bytes: try count("\(name).bytes"),
      commits: try count("\(name).commits")
    )
  }

  /// Throws if the file has a setting that does not exist: it is likely to be a mistake.
  private static func check(_ file: String) throws {
    guard let bytes = FileManager.default.contents(atPath: file),
      let json = try? JSONReader.read(bytes: Array(bytes)), case .object(let members) = json
    else { throw UsageError("--config: \(file) cannot be read as a JSON object.") }
    for member in members {
      var names = [member.name]
      if case .object(let inner) = member.value {
        names = inner.map { "\(member.name).\($0.name)" }
      }
      if let name = names.first(where: { !Self.names.contains($0) }) {
        throw UsageError(
          "--config: there is no setting \(name); there are \(Self.names.sorted().joined(separator: ", "))."
        )
      }
    }
  }

  private static func malformed(_ name: String, _ expected: String) -> UsageError {
    UsageError("The setting \(name) must be \(expected).")
  }
}
#endif
