import Foundation

/// An object with `id`, `time`, `operationCount` and `kind`, which is `ordinary` or `redactions`;
/// with `author`, `message` and `undone` and `handedOverBy` if there are any; and with `date`, the time as the encoder
/// writes dates, which is not read again.
extension CommitSummary: Codable {
  private enum Member: String, CodingKey {
    case id, time, date, author, message, operationCount, kind, undone, handedOverBy
  }

  /// Decodes a summary.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Member.self)
    id = try container.decode(CommitID.self, forKey: .id)
    time = try container.decode(HybridTime.self, forKey: .time)
    author = try container.decodeIfPresent(String.self, forKey: .author)
    message = try container.decodeIfPresent(String.self, forKey: .message)
    operationCount = try container.decode(Int.self, forKey: .operationCount)
    undone = try container.decodeIfPresent(CommitID.self, forKey: .undone)
    handedOverBy = try container.decodeIfPresent(String.self, forKey: .handedOverBy)
    let name = try container.decode(String.self, forKey: .kind)
    guard let kind = CommitHeader.Kind.allCases.first(where: { $0.codingName == name }) else {
      throw DecodingError.dataCorruptedError(
        forKey: .kind,
        in: container,
        debugDescription: "\"\(name)\" is not a kind of commit"
      )
    }
    self.kind = kind
  }

  /// Encodes a summary.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Member.self)
    try container.encode(id, forKey: .id)
    try container.encode(time, forKey: .time)
    try container.encode(time.date, forKey: .date)
    try container.encodeIfPresent(author, forKey: .author)
    try container.encodeIfPresent(message, forKey: .message)
    try container.encode(operationCount, forKey: .operationCount)
    try container.encode(kind.codingName, forKey: .kind)
    try container.encodeIfPresent(undone, forKey: .undone)
    try container.encodeIfPresent(handedOverBy, forKey: .handedOverBy)
  }
}

extension CommitHeader.Kind {
  fileprivate static var allCases: [Self] { [.ordinary, .redactions, .voiding] }

  fileprivate var codingName: String {
    switch self {
    case .ordinary: "ordinary"
    case .redactions: "redactions"
    case .voiding: "voiding"
    }
  }
}
