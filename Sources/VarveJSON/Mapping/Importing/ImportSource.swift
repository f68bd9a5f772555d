import VarveCore

/// A source of the parts of a document that the roots name.
protocol ImportSource {
  /// The number of top-level objects, if it is known before they are read.
  var objectCount: Int? { get }
  /// The number of bytes read.
  var byteCount: Int { get }
  /// The total number of bytes, if known.
  var totalByteCount: Int? { get }

  /// Passes the pieces of each root to the body; `begin` is called with each existing root, before
  /// its pieces.
  func forEachPiece(
    _ begin: (Mappings.Root) throws -> Void,
    _ body: (ImportPiece, Mappings.Root) async throws -> Void
  ) async throws
}

/// A piece of a root's content, not yet parsed.
struct ImportPiece: Sendable {
  enum Content: Sendable {
    /// Elements of an array, as text.
    case text(JSONStream.Elements)
    /// Elements of an array.
    case elements(ArraySlice<JSON>)
    /// A value that is not an array, and its repeated names.
    case whole(JSON, [RepeatedName])
    /// Members of an object, the member of each that has its name, and their repeated names.
    case members([JSON.Member], by: String, [RepeatedName])
    /// A value in the place of an object whose members are objects.
    case misplaced
  }

  let content: Content
  /// The root's JSON pointer.
  let pointer: String
  /// Whether the piece is the root's first.
  let isFirst: Bool

  /// The number of objects in a piece of a document in memory.
  static let objectCount = 512
  /// The number of bytes in a piece of text.
  static let byteCount = 1 << 20
}

/// A document in memory.
struct ValueSource: ImportSource {
  private let found: [(root: Mappings.Root, json: JSON)]

  init(_ document: JSON, _ roots: [Mappings.Root]) throws {
    found = try roots.compactMap { root in
      try JSONPointer.find(root.pointer, in: document).map { (root, $0) }
    }
  }

  var byteCount: Int { 0 }
  var totalByteCount: Int? { nil }

  var objectCount: Int? {
    found.reduce(0) { count, part in
      switch part.json {
      case .null: count
      case .array(let elements): count + elements.count
      case .object(let members) where part.root.keyedBy != nil: count + members.count
      default: count + 1
      }
    }
  }

  func forEachPiece(
    _ begin: (Mappings.Root) throws -> Void,
    _ body: (ImportPiece, Mappings.Root) async throws -> Void
  ) async throws {
    for (root, json) in found {
      func piece(_ content: ImportPiece.Content, isFirst: Bool) -> ImportPiece {
        ImportPiece(content: content, pointer: root.pointer, isFirst: isFirst)
      }
      if let name = root.keyedBy, json != .null {
        try begin(root)
        guard let members = json.keyedMembers else {
          try await body(piece(.misplaced, isFirst: true), root)
          continue
        }
        for start in stride(from: 0, to: members.count, by: ImportPiece.objectCount) {
          let part = Array(members[start..<min(start + ImportPiece.objectCount, members.count)])
          try await body(piece(.members(part, by: name, []), isFirst: start == 0), root)
        }
        continue
      }
      switch json {
      case .null: continue
      case .array(let elements):
        try begin(root)
        for start in stride(from: 0, to: elements.count, by: ImportPiece.objectCount) {
          let end = min(start + ImportPiece.objectCount, elements.count)
          try await body(piece(.elements(elements[start..<end]), isFirst: start == 0), root)
        }
      default:
        try begin(root)
        try await body(piece(.whole(json, []), isFirst: true), root)
      }
    }
  }
}

/// A document that is read while it arrives.
final class StreamSource: ImportSource {
  private let stream: JSONStream
  private let roots: [(root: Mappings.Root, steps: [String])]
  let totalByteCount: Int?
  private let format: DocumentSource.Format
  private let parser = FastParser()

  /// The maximum size of an object, in bytes.
  private static let maximumByteCount = 768 << 20

  init(_ document: DocumentSource, _ roots: [Mappings.Root]) throws {
    stream = JSONStream(document)
    totalByteCount = document.byteCount
    format = document.format
    self.roots = try roots.map { ($0, try JSONPointer.steps($0.pointer)) }
  }

  var objectCount: Int? { nil }
  var byteCount: Int { stream.byteOffset }

  func forEachPiece(
    _ begin: (Mappings.Root) throws -> Void,
    _ body: (ImportPiece, Mappings.Root) async throws -> Void
  ) async throws {
    try stream.begin()
    switch format {
    case .json: try await walk([], begin, body)
    case .jsonLines: try await takeLines(begin, body)
    }
    try stream.end()
  }

  /// Takes the lines of JSON Lines for the root that is the whole document.
  private func takeLines(
    _ begin: (Mappings.Root) throws -> Void,
    _ body: (ImportPiece, Mappings.Root) async throws -> Void
  ) async throws {
    let root = roots.first { $0.steps.isEmpty }?.root
    let isKeyed = root?.keyedBy != nil
    if let root, isKeyed {
      try begin(root)
      let piece = ImportPiece(content: .misplaced, pointer: root.pointer, isFirst: true)
      try await body(piece, root)
    }
    var isFirst = true
    while let lines = try stream.lines(
      atLeast: ImportPiece.byteCount,
      atMost: Self.maximumByteCount
    ) {
      guard let root, !isKeyed else {
        try prove(lines)
        continue
      }
      // A file without lines may be one that was cut short: it is complete for nothing.
      if isFirst { try begin(root) }
      let content = ImportPiece.Content.text(lines)
      try await body(ImportPiece(content: content, pointer: root.pointer, isFirst: isFirst), root)
      isFirst = false
    }
  }

  /// Reads the next value, which has a path in the document.
  private func walk(
    _ way: [String],
    _ begin: (Mappings.Root) throws -> Void,
    _ body: (ImportPiece, Mappings.Root) async throws -> Void
  ) async throws {
    let found = roots.first { $0.steps.elementsEqual(way) { $0.isSame(as: $1) } }
    if let root = found?.root {
      return try await take(root, begin, body)
    }
    guard !isOff(way) else { return try pass() }
    if try stream.enterObject() {
      while let name = try stream.nextName(allowsRepeated: { isOff(way + [$0]) }) {
        try await walk(way + [name], begin, body)
      }
    } else if try stream.enterArray() {
      var index = 0
      while try stream.nextElement() {
        try await walk(way + [String(index)], begin, body)
        index += 1
      }
    } else {
      try pass()
    }
  }

  /// Returns whether no root is at a path or below. On the path to a root, names must not be
  /// repeated, because the first value was already imported when the second is read.
  private func isOff(_ way: [String]) -> Bool {
    !roots.contains { $0.steps.starts(with: way, by: { $0.isSame(as: $1) }) }
  }

  /// Skips a value that is not needed, piece by piece, and validates each piece as JSON.
  private func pass() throws {
    if let piece = try stream.piece(atMost: ImportPiece.byteCount) { return try prove(piece) }
    if try stream.enterArray() {
      while let elements = try stream.elements(
        atLeast: ImportPiece.byteCount,
        atMost: Self.maximumByteCount
      ) {
        try prove(elements)
      }
    } else if try stream.enterObject() {
      while try stream.nextName(allowsRepeated: { _ in true }) != nil { try pass() }
    } else {
      _ = try value()
    }
  }

  private func prove(_ elements: JSONStream.Elements) throws {
    if elements.separated?.withUnsafeBytes(parser.accepts) == true { return }
    try elements.read { _, _ in }
  }

  private func take(
    _ root: Mappings.Root,
    _ begin: (Mappings.Root) throws -> Void,
    _ body: (ImportPiece, Mappings.Root) async throws -> Void
  ) async throws {
    if let name = root.keyedBy { return try await takeMembers(root, by: name, begin, body) }
    guard try stream.enterArray() else {
      let (json, repetitions) = try value()
      if json == .null { return }
      try begin(root)
      let content = ImportPiece.Content.whole(json, repetitions)
      let piece = ImportPiece(content: content, pointer: root.pointer, isFirst: true)
      return try await body(piece, root)
    }
    try begin(root)
    var isFirst = true
    while let elements = try stream.elements(
      atLeast: ImportPiece.byteCount,
      atMost: Self.maximumByteCount
    ) {
      let content = ImportPiece.Content.text(elements)
      try await body(
        ImportPiece(content: content, pointer: root.pointer, isFirst: isFirst),
        root
      )
      isFirst = false
    }
  }

  /// Takes the members of an object, each of which is an object with a name. A repeated name is an
  /// error: the members with it would be one entity.
  private func takeMembers(
    _ root: Mappings.Root,
    by key: String,
    _ begin: (Mappings.Root) throws -> Void,
    _ body: (ImportPiece, Mappings.Root) async throws -> Void
  ) async throws {
    func piece(_ content: ImportPiece.Content, isFirst: Bool = true) -> ImportPiece {
      ImportPiece(content: content, pointer: root.pointer, isFirst: isFirst)
    }
    guard try stream.enterObject() else {
      let found = try takeNothing()
      if found == .null { return }
      try begin(root)
      if found == nil { try await body(piece(.misplaced), root) }
      return
    }
    try begin(root)
    var members: [JSON.Member] = []
    var repetitions: [RepeatedName] = []
    var start = stream.byteOffset
    var isFirst = true
    while let name = try stream.nextName() {
      let (json, repeated) = try value()
      members.append(JSON.Member(name: name, value: json))
      repetitions += repeated.map {
        RepeatedName(path: [.name(name)] + $0.path, position: $0.position)
      }
      guard stream.byteOffset - start >= ImportPiece.byteCount else { continue }
      try await body(piece(.members(members, by: key, repetitions), isFirst: isFirst), root)
      (members, repetitions, isFirst) = ([], [], false)
      start = stream.byteOffset
    }
    guard !members.isEmpty else { return }
    try await body(piece(.members(members, by: key, repetitions), isFirst: isFirst), root)
  }

  /// Skips a value that is not an object. Returns it if it is null, or an array without elements.
  private func takeNothing() throws -> JSON? {
    guard try stream.enterArray() else { return try value().0 == .null ? .null : nil }
    guard try stream.nextElement() else { return [] }
    repeat { try pass() } while try stream.nextElement()
    return nil
  }

  private func value() throws -> (JSON, [RepeatedName]) {
    let place = try stream.nextPosition()
    if let piece = try stream.lenientValue(atMost: Self.maximumByteCount) { return piece }
    throw stream.failure("a value is longer than \(Self.maximumByteCount) bytes", at: place)
  }
}
