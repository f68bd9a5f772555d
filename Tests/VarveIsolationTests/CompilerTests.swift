import Foundation
import Testing

/// What the compiler says of types that cannot be properties, in a module of the main actor.
///
/// Each line of the source is a model of its own, and is compiled against the built modules.
@Suite("The compiler", .enabled(if: Compiler.hasModules))
struct CompilerTests {
  private static let types = """
    import Foundation
    import Varve
    struct Dim: Codable, Hashable { var width = 1 }
    nonisolated struct Free: Codable, Hashable { var width = 1 }
    enum Grade: Int { case low = 1, high }
    struct Opaque { var width = 1 }
    enum Bare { case a, b }

    """

  /// The types of properties of a model, and whether the conformance is isolated.
  private static let isolated = [
    "Dim", "Dim?", "[Dim]", "[Dim]?", "[String: Dim]", "[String: Dim]?", "Set<Dim>", "[[Dim]]",
    "[String: [Dim?]]?", "[Int: Dim]",
  ]
  private static let allowed = [
    "Free", "Free?", "[Free]", "[Free]?", "[String: Free]", "Set<Free>", "[[Free]]", "Grade",
    "Grade?", "Date?", "[String]", "Decimal", "UUID?",
  ]
  private static let unstorable = ["Opaque", "Opaque?", "[Opaque]", "[String: Opaque]", "Bare"]
  /// What the compiler does not check in classes: nested collections.
  private static let deep: Set = ["[[Dim]]", "[String: [Dim?]]?", "[Int: Dim]"]

  @Test func `isolated conformances in models are refused, in optionals and collections too`()
    async throws
  {
    let lines = Self.lines {
      "@Entity nonisolated struct M\($0) { "
        + "var id = Identifier<M\($0)>(); var value: \($1) }"
    }
    try await expect(lines, isolated: Set(Self.isolated))
  }

  @Test func `the compiler refuses them in a schema written by hand`() async throws {
    let lines = Self.lines { number, type in
      """
      nonisolated struct M\(number): Persistable { static let schema = Schema<M\(number)> \
      { SchemaField("value", \\.value) }; var id = Identifier<M\(number)>(); var value: \(type); \
      init(row: EntityRow) throws { value = try row.read(0) }; \
      func write(to values: inout PropertyValues) throws { try values.append(value) } }
      """
    }
    try await expect(lines, isolated: Set(Self.isolated))
  }

  @Test func `refuses them in classes of no actor, and allows them in those of the main actor`()
    async throws
  {
    func lines(_ modifier: String) -> [Line] {
      Self.lines { number, type in
        """
        @Entity(kind: "C\(number)") \(modifier)final class C\(number) \
        { var value: \(type); init(_ value: \(type)) { self.value = value } }
        """
      }
    }
    try await expect(
      lines("nonisolated "),
      isolated: Set(Self.isolated).subtracting(Self.deep)
    )
    try await expect(lines(""), isolated: [])
  }

  @Test func `takes properties of every kind in queries, and refuses none for its type`()
    async throws
  {
    let source =
      Self.types + """
        @Entity nonisolated struct M {
          var id = Identifier<M>()
          var grade: Grade
          var free: Free
          var text: String?
        }
        func ask(_ store: Store, _ model: M) async throws {
          let keys: [Grade] = try await store.aggregate(M.all, by: \\.grade, .count).map(\\.key)
          let pairs: [(Free, String?)] = try await store.aggregate(
            M.all.grouped(by: \\.free, \\.text), .count).map(\\.keys)
          let rows: [(Grade, Free)] = try await store.fetch(M.all.select(\\.grade, \\.free))
          let past: [Grade?] = try await store.history(of: model, \\.grade).map(\\.value)
          _ = (keys, pairs, rows, past)
        }
        """
    #expect(try await Compiler.errors(in: source).isEmpty)
  }

  // MARK: Lines

  private struct Line {
    var type: String
    var text: String
  }

  private static func lines(_ text: (Int, String) -> String) -> [Line] {
    (isolated + allowed + unstorable).enumerated().map { Line(type: $1, text: text($0, $1)) }
  }

  /// Requires the errors of each line that its type has, and no others.
  private func expect(_ lines: [Line], isolated: Set<String>) async throws {
    let source = Self.types + lines.map(\.text).joined(separator: "\n")
    let first = Self.types.count { $0 == "\n" } + 1
    let errors = try await Compiler.errors(in: source)
    for (index, line) in lines.enumerated() {
      let said = errors[first + index] ?? []
      if isolated.contains(line.type) {
        #expect(
          said.contains { $0.contains("main actor-isolated conformance of 'Dim'") },
          "\(line)"
        )
      } else if Self.unstorable.contains(line.type) {
        #expect(
          said.contains { $0.contains("a property's type must be a PropertyValue") },
          "\(line)"
        )
      } else {
        #expect(said.isEmpty, "\(line)")
      }
      #expect(!said.contains { $0.contains("failed to produce diagnostic") }, "\(line)")
    }
  }
}

/// The compiler that built this test, with the modules that it built.
private nonisolated enum Compiler {
  /// Returns the errors of a source text by the line that they are about: that of the code from
  /// which a macro expanded it.
  @concurrent static func errors(in source: String) async throws -> [Int: [String]] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "varve-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Source.swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    let said = try run(["-typecheck"] + options + [file.path])
    var errors: [Int: [String]] = [:]
    var waiting: [String] = []
    for line in said.split(separator: "\n") {
      let place = line.firstMatch(of: /Source\.swift:(\d+):\d+: (error|note: expanded code)/)
      if let place, let number = Int(place.1) {
        if place.2 == "error" {
          errors[number, default: []].append(String(line))
        } else {
          errors[number, default: []] += waiting
          waiting = []
        }
      } else if line.hasPrefix("macro expansion"), line.contains(": error: ") {
        waiting.append(String(line))
      } else if line.hasPrefix("error:") || line.hasPrefix("<unknown>:0: error") {
        Issue.record("the compiler did not run: \(line)")
      }
    }
    return errors
  }

  /// The folder of the products, in which the modules are.
  private static let products: URL = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let beside = bundle?.bundleURL ?? URL(filePath: CommandLine.arguments[0])
    return beside.deletingLastPathComponent().absoluteURL.resolvingSymlinksInPath()
  }()

  /// Whether the modules are where SwiftPM's own build system puts them.
  static var hasModules: Bool {
    FileManager.default.fileExists(
      atPath: products.appending(path: "Modules/Varve.swiftmodule").path
    )
  }

  private static let options: [String] = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let checkouts = products.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "checkouts")
    let crypto = checkouts.appending(path: "swift-crypto/Sources")
    // Built from source, zstd has a module of its own.
    let zstd = checkouts.appending(path: "zstd/lib/module.modulemap")
    let isBuilt = FileManager.default.fileExists(atPath: zstd.path)
    let maps =
      [
        isBuilt ? zstd : root.appending(path: "Sources/CZstd/module.modulemap"),
        root.appending(path: "Sources/CSQLite/module.modulemap"),
        products.appending(path: "CVarveSQLite.build/module.modulemap"),
      ]
      + ["CCryptoBoringSSL", "CCryptoBoringSSLShims", "CXKCP", "CXKCPShims"].map {
        crypto.appending(path: "\($0)/include/module.modulemap")
      }
    let plugin = products.appending(path: "VarveMacros-tool").path
    return [
      "-swift-version", "6", "-default-isolation", "MainActor",
      "-I", products.appending(path: "Modules").path,
      "-load-plugin-executable", "\(plugin)#VarveMacros",
    ] + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
  }()

  /// Runs the compiler, and returns what it says.
  private static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["swiftc"] + arguments
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let said = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: said, as: UTF8.self)
  }
}
