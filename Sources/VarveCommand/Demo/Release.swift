#if CommandLine
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// A dated release of the lists: a document and its date of publication.
///
/// The mapping in the folder of the releases maps the country with code SZ to the entity
/// `Country/SZ`, and the subdivision GB-ENG to `Subdivision/GB-ENG`, which its country owns.
struct Release {
  static let countryType: EntityType = "Country"
  static let subdivisionType: EntityType = "Subdivision"
  private static let mappingName = "mapping.json"

  /// The date as in the file name.
  let name: String
  let date: Date
  /// The path of the file.
  let path: String
  /// The size of the file.
  let byteCount: Int

  /// Returns the identifier of a country.
  static func countryID(_ alpha2: String) throws -> EntityID { try EntityID("Country/\(alpha2)") }

  /// Reads the mapping in the folder of the releases.
  static func mappings(in folder: String) throws -> Mappings {
    try MappingArgument.read("\(folder)/\(mappingName)", as: nil, at: nil, keyedBy: nil)
  }

  /// Returns the releases in a folder, oldest first.
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
        "the file is not a release: \"released\" is not a date",
        at: path,
        remedy: "Examples/Countries/README.md describes the format."
      )
    }
    name = head.released
    self.date = date
    self.path = path
    byteCount = data.count
  }
}
#endif
