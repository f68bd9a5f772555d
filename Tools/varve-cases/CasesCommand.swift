import Foundation
import VarveJSON

/// `varve-cases FILE.json [--only ID] [--backend memory|sqlite|postgres] [--home URL]`: runs behaviour
/// cases.
@main
enum CasesCommand {
  private static let usage =
    "usage: varve-cases FILE.json [--only ID] [--backend memory|sqlite|postgres] [--home URL]"

  static func main() async {
    guard let options = Options(CommandLine.arguments.dropFirst()) else {
      FileHandle.standardError.write(Data("\(usage)\n".utf8))
      exit(64)
    }
    do {
      let (all, fixtures, mappings) = try read(options.file)
      let cases = all.filter { options.only == nil || $0.id == options.only }
      exit(await run(cases, options.backend, fixtures, mappings) ? 0 : 1)
    } catch {
      let text = (error as? CaseFailure)?.text ?? "\(error)"
      FileHandle.standardError.write(Data("varve-cases: \(text)\n".utf8))
      exit(1)
    }
  }

  private struct Options {
    var file = ""
    var only: String?
    var backend = World.Backend.memory

    /// - Parameter arguments: the arguments of the program.
    init?(_ arguments: ArraySlice<String>) {
      var rest = arguments
      var kind = "memory"
      var home: String?
      while let argument = rest.popFirst() {
        switch argument {
        case "--only":
          guard let id = rest.popFirst() else { return nil }
          only = id
        case "--backend":
          guard let name = rest.popFirst() else { return nil }
          kind = name
        case "--home":
          guard let url = rest.popFirst() else { return nil }
          home = url
        case _ where file.isEmpty && !argument.hasPrefix("-"): file = argument
        default: return nil
        }
      }
      guard !file.isEmpty, let chosen = World.Backend(kind, home: home) else { return nil }
      backend = chosen
    }
  }

  private static func read(
    _ file: String
  ) throws -> (cases: [Case], fixtures: JSON, mappings: Mappings) {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    let document = try JSONReader.read(bytes: bytes)
    guard let cases = (document["cases"] ?? document).elements else {
      throw CaseFailure.malformed("\(file) has no list of cases")
    }
    let mappings = try Mappings(json: ["mappings": document["mappings"] ?? [:]])
    return (try cases.map { try Case($0) }, document["fixtures"] ?? [:], mappings)
  }

  /// Runs cases and prints the failures. Returns whether there are none.
  private static func run(
    _ cases: [Case],
    _ backend: World.Backend,
    _ fixtures: JSON,
    _ mappings: Mappings
  ) async -> Bool {
    var systems: [String: (passed: Int, failed: Int)] = [:]
    var missing: [String: Int] = [:]
    for one in cases {
      let failure = await one.failure(backend, fixtures: fixtures, mappings: mappings)
      if case .unsupported(let what)? = failure { missing[what, default: 0] += 1 }
      if let failure {
        systems[one.system, default: (0, 0)].failed += 1
        print("\(one.id) \(one.title): \(failure.text)")
      } else {
        systems[one.system, default: (0, 0)].passed += 1
      }
    }
    let unsupported = missing.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if !unsupported.isEmpty {
      let list = unsupported.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
      print("unsupported: \(missing.values.reduce(0, +)) (\(list))")
    }
    for (system, count) in systems.sorted(by: { $0.key < $1.key }) {
      print("\(system): \(count.passed) passed, \(count.failed) failed")
    }
    let failed = systems.values.reduce(0) { $0 + $1.failed }
    print("\(cases.count - failed) passed, \(failed) failed")
    return failed == 0
  }
}
