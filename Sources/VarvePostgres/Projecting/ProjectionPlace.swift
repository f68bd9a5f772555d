import VarveCore

/// What the tables of a projection show.
struct ProjectionPlace: Hashable {
  let space: String
  let frontier: Frontier
  /// What may change the state without a commit.
  let mark: String
}

extension ProjectionPlace {
  /// Parses the text of a place; nil if it is anything else.
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else { return nil }
    var heads: [CommitID] = []
    for part in parts[2].split(separator: ",") {
      let words = part.split(separator: ":").map(String.init)
      guard words.count == 3, let replica = ReplicaID(words[0]), let sequence = Int64(words[1]),
        let hash = ContentDigest(hexadecimal: words[2])
      else { return nil }
      heads.append(CommitID(replica: replica, sequence: sequence, hash: hash))
    }
    self.init(space: parts[0], frontier: Frontier(heads), mark: parts[1])
  }

  /// The place as a text.
  var text: String {
    let heads = frontier.heads.map { head in
      "\(head.replica.text):\(head.sequence):\(head.hash.hexadecimal)"
    }
    return "\(space) \(mark) \(heads.joined(separator: ","))"
  }
}
