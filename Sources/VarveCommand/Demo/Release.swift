import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// One dated release of the lists: a document, and when it came out.
///
/// The mapping beside the releases makes a country of code SZ the entity `Country/SZ`, and a
/// subdivision GB-ENG `Subdivision/GB-ENG`, which its country owns.
struct Release {
  static let countryType: EntityType = "Country"
  static let subdivisionType: EntityType = "Subdivision"
  private static let mappingName = "mapping.json"

  /// The date as the file writes it.
  let name: String
  let date: Date
  /// The file.
  let path: String
  /// Its size.
  let byteCount: Int

  /// The identifier of a country.
  static func countryID(_ alpha2: String) throws -> EntityID { try EntityID("Country/\(alpha2)") }

  /// The mapping beside the releases.
  static func mappings(in folder: String) throws -> Mappings {
    try MappingArgument.read("\(folder)/\(mappingName)", as: nil, at: nil)
  }

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
    let files = names.filter { $0.hasSuffix(".json") && $0 != mappingName }.sorted()
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

  private init(file path: String) throws {
    struct Head: Decodable { let released: String }
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    guard let head = try? JSONDecoder().decode(Head.self, from: data),
      let date = DateReader.read(head.released)
    else {
      throw VarveError(
        .invalidArgument,
        "the file is no release: \"released\" is no date",
        at: path,
        remedy: "Examples/Countries/README.md tells the format."
      )
    }
    name = head.released
    self.date = date
    self.path = path
    byteCount = data.count
  }
}
