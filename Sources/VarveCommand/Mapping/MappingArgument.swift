#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON

#if YAML
import VarveYAML
#endif

/// Reads a mapping file and applies the options that select a part of it.
enum MappingArgument {
  /// Reads the mappings of a file.
  ///
  /// - Parameters:
  ///   - path: the file, in JSON, or in YAML if its name says so.
  ///   - name: the mapping of the whole document, instead of the file's roots.
  ///   - pointer: the place in a document to which it applies.
  ///   - key: the member of the objects that has their name, if they are members of an object.
  static func read(
    _ path: String,
    as name: String?,
    at pointer: String?,
    keyedBy key: String?
  ) throws -> Mappings {
    let data = try content(path)
    let isYAML = [".yaml", ".yml"].contains { path.lowercased().hasSuffix($0) }
    var mappings = isYAML ? try yaml(data, path) : try json(data, path)
    if name != nil || pointer != nil || key != nil {
      mappings = try chosen(mappings, as: name, at: pointer, keyedBy: key)
    }
    return mappings
  }

  /// Reads the content of a file or a pipe.
  private static func content(_ path: String) throws -> Data {
    let file: FileHandle
    do {
      file = try DocumentSource.handle(readingFile: path)
    } catch let error as VarveError where error.code == .notFound {
      throw VarveError(
        .notFound,
        "there is no such mapping file to read",
        at: path,
        remedy: error.remedy
      )
    }
    do {
      return try file.readToEnd() ?? Data()
    } catch {
      throw VarveError(
        .inputOutput,
        "the mapping file cannot be read: \(error.localizedDescription)",
        at: path,
        remedy: "Name a file that holds mappings."
      )
    }
  }

  private static func json(_ data: Data, _ path: String) throws -> Mappings {
    do {
      return try Mappings(json: JSONReader.read(bytes: [UInt8](data)))
    } catch let failure as JSONReader.Failure {
      throw VarveError(.invalidJSON, failure.message, at: "\(path), \(failure.position)")
    } catch let error as VarveError {
      throw error.in(path, error.place)
    }
  }

  #if YAML
  private static func yaml(_ data: Data, _ path: String) throws -> Mappings {
    guard let text = String(validating: data, as: UTF8.self) else {
      throw VarveError(.invalidYAML, "the file is not UTF-8", at: path)
    }
    let document: YAMLDocument
    do {
      document = try YAMLDocument(text)
    } catch let error as VarveError {
      throw error.in(path, error.place)
    }
    do {
      return try Mappings(json: document.json)
    } catch let error as VarveError {
      throw error.in(path, error.place.map(document.place), error.place)
    }
  }
  #else
  private static func yaml(_: Data, _ path: String) throws -> Mappings {
    throw VarveError(
      .unsupported,
      "this varve was built without YAML",
      at: path,
      remedy: "Write the mappings in JSON, or build varve with the trait YAML."
    )
  }
  #endif

  /// Returns the mappings with the roots that the command line selects.
  private static func chosen(
    _ mappings: Mappings,
    as name: String?,
    at pointer: String?,
    keyedBy key: String?
  ) throws -> Mappings {
    var mappings = mappings
    if let name {
      mappings.roots = [Mappings.Root(at: pointer ?? "", as: name, keyedBy: key)]
    } else if mappings.roots.count == 1 {
      if let pointer { mappings.roots[0].pointer = pointer }
      if let key { mappings.roots[0].keyedBy = key }
    } else {
      let option = pointer == nil ? "--keyed-by" : "--pointer"
      throw UsageError("\(option) needs --as, because the mapping file has several roots or none.")
    }
    do {
      try mappings.validate()
    } catch let error as VarveError {
      let places = [("--pointer", pointer), ("--as", name), ("--keyed-by", key)]
      let place = places.lazy.compactMap { option, value in value.map { "\(option) \($0)" } }.first
      throw error.located(at: place ?? "")
    }
    return mappings
  }
}

extension VarveError {
  /// Returns the error with its places, outermost first.
  fileprivate func `in`(_ places: String?...) -> VarveError {
    located(at: places.compactMap(\.self).joined(separator: ", "))
  }
}

/// The options that select mappings.
struct MappingOptions: ParsableArguments {
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The mapping of the objects, instead of the file's roots.",
      valueName: "name"
    )
  )
  var name: String?

  @Option(
    help: ArgumentHelp(
      "The place of the objects: a JSON pointer, such as /books.",
      valueName: "pointer"
    )
  )
  var pointer: String?

  @Option(
    help: ArgumentHelp(
      "The objects are the members of an object, and their mapping reads a member's name here.",
      valueName: "name"
    )
  )
  var keyedBy: String?

  /// The first of these options that is given.
  var given: String? {
    name != nil ? "--as" : pointer != nil ? "--pointer" : keyedBy != nil ? "--keyed-by" : nil
  }

  /// Reads the selected mappings of a file.
  func mappings(_ file: String) throws -> Mappings {
    try MappingArgument.read(file, as: name, at: pointer, keyedBy: keyedBy)
  }
}
#endif
