import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// One dated release of the lists, as entities to save.
///
/// A country is identified by its code of two letters (`country/SZ`), a subdivision by its own code
/// (`subdivision/GB-ENG`); the part before the hyphen names the country that owns it.
struct Release {
  static let countryType: EntityType = "Country"
  static let subdivisionType: EntityType = "Subdivision"

  /// What the release says of one entity.
  struct Record {
    let id: EntityID
    let owner: EntityID?
    let values: [PropertyKey: Value]
  }

  /// The date as the file writes it.
  let name: String
  let date: Date
  let countries: [Record]
  let subdivisions: [Record]
  /// The size of the file.
  let byteCount: Int

  /// The identifier of a country.
  static func countryID(_ alpha2: String) throws -> EntityID { try EntityID("country/\(alpha2)") }

  /// The releases in a folder, oldest first.
  static func all(in folder: String) throws -> [Release] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw VarveError(
        .notFound,
        "the folder cannot be read",
        at: folder,
        remedy: "Name the folder Examples/Countries of Varve's repository."
      )
    }
    let files = names.filter { $0.hasSuffix(".json") }.sorted()
    guard !files.isEmpty else {
      throw VarveError(
        .notFound,
        "the folder holds no releases",
        at: folder,
        remedy: "Name the folder Examples/Countries of Varve's repository."
      )
    }
    return try files.map { try Release(file: "\(folder)/\($0)") }.sorted { $0.date < $1.date }
  }

  /// The content of a file; its format is told by the README beside it.
  private struct File: Decodable {
    let released: String
    let countries: [[String: String]]
    let subdivisions: [[String: String]]
  }

  private init(file path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let file: File
    do {
      file = try JSONDecoder().decode(File.self, from: data)
    } catch let error as DecodingError {
      throw VarveError(
        .invalidArgument,
        "the file is no release: \(error.reason)",
        at: path,
        remedy: "Examples/Countries/README.md tells the format."
      )
    }
    guard let date = DateReader.read(file.released) else {
      throw VarveError(.invalidArgument, "\"released\" is no date", at: path)
    }
    name = file.released
    self.date = date
    byteCount = data.count
    countries = try file.countries.map { try Self.country($0, in: path) }
    subdivisions = try file.subdivisions.map { try Self.subdivision($0, in: path) }
  }

  private static func country(_ fields: [String: String], in path: String) throws -> Record {
    let code = try required("alpha_2", of: fields, in: path)
    return Record(id: try countryID(code), owner: nil, values: values(fields))
  }

  private static func subdivision(_ fields: [String: String], in path: String) throws -> Record {
    let code = try required("code", of: fields, in: path)
    let country = String(code.prefix { $0 != "-" })
    var values = values(fields)
    // Older releases leave out the country: "NX" and "AZ-NX" are the same parent.
    if let parent = fields["parent"] {
      let whole = parent.contains("-") ? parent : "\(country)-\(parent)"
      values["parent"] = .reference(try EntityID("subdivision/\(whole)"))
    }
    return Record(
      id: try EntityID("subdivision/\(code)"),
      owner: try countryID(country),
      values: values
    )
  }

  private static func values(_ fields: [String: String]) -> [PropertyKey: Value] {
    Dictionary(
      fields.map { (PropertyKey($0.key), Value.string($0.value)) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  private static func required(
    _ name: String,
    of fields: [String: String],
    in path: String
  ) throws -> String {
    guard let value = fields[name], !value.isEmpty else {
      throw VarveError(.invalidArgument, "a record has no \"\(name)\"", at: path)
    }
    return value
  }
}

extension DecodingError {
  fileprivate var reason: String {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context), .dataCorrupted(let context):
      context.debugDescription
    @unknown default: localizedDescription
    }
  }
}
