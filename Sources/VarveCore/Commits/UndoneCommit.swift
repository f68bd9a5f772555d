extension CommitHeader {
  /// The number of the field that names the commit this one undoes.
  private static let undoneNumber: UInt64 = 4

  /// The commit that this one undoes according to its header; nil if it undoes none.
  package var undone: CommitID? {
    get {
      guard let field = extensions.first(where: { $0.number == Self.undoneNumber }) else {
        return nil
      }
      return try? field.bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        return try reader.commitID()
      }
    }
    set {
      extensions.removeAll { $0.number == Self.undoneNumber }
      guard let newValue else { return }
      var writer = ByteWriter(capacity: 64)
      writer.commitID(newValue)
      extensions.append(Extension(number: Self.undoneNumber, bytes: writer.bytes))
    }
  }
}
