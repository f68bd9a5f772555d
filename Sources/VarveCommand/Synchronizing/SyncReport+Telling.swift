#if CommandLine
import VarveCore
import VarveJSON
import VarveStore
import VarveSync

extension SyncReport {
  /// Returns the report as JSON.
  func json(_ ahead: AheadOnBothSides) -> JSON {
    [
      "received": .count(receivedCount), "sent": .count(sentCount),
      "completed": .count(completedCount), "partial": .count(partialCount),
      "withheld": .count(withheldCount), "withheldThere": .count(withheldThereCount),
      "ahead": .array(ahead.here.map(\.json)), "aheadThere": .array(ahead.there.map(\.json)),
      "heldBack": .count(heldBackCount),
      "died": died.json, "diedThere": diedThere.json,
      "replacedReplica": .optional(replacedReplica?.text), "wasRetired": .bool(wasRetired),
      "replacedReplicaThere": .optional(replacedReplicaThere?.text),
      "wasRetiredThere": .bool(wasRetiredThere),
      "parked": .array((parked + parkedThere).map(\.json)),
      "waiting": .array(waiting.map(\.json)),
      "incompleteFiles": .array(incompleteFiles.map(JSON.string)),
      "complete": .bool(isComplete),
    ]
  }

  /// Adds the report to a result as lines of text.
  func say(
    here: String,
    there: String,
    _ ahead: AheadOnBothSides,
    in answer: inout Answer
  ) {
    answer.say(
      "\(here.printable) ↔ \(there.printable): \(counted(receivedCount, "commit")) received, "
        + "\(grouped(sentCount)) sent"
    )
    if completedCount > 0 {
      answer.say("  \(counted(completedCount, "commit")) completed, after the present")
    }
    if partialCount > 0 {
      answer.say(MergeReport.note(partialCount: partialCount))
    }
    for (store, commits) in [(here, ahead.here), (there, ahead.there)] {
      for commits in commits { answer.say("  \(store.printable): \(commits.shown)") }
    }
    for (store, died) in [(here, died), (there, diedThere)] where !died.isEmpty {
      answer.say("  died in \(store.printable) by the merge: \(died.shown())")
    }
    for (store, replica, wasRetired) in [
      (here, replacedReplica, wasRetired), (there, replacedReplicaThere, wasRetiredThere),
    ] {
      guard let replica else { continue }
      answer.say("  \(replacement(of: store, by: replica, wasRetired: wasRetired))")
    }
    for parked in parked + parkedThere {
      answer.say("  parked: \(parked.commit.shown): \(parked.error.message.printable)")
    }
    if heldBackCount > 0 {
      answer.say(
        "  \(counted(heldBackCount, "commit")) not sent: they are parked or incomplete, or depend "
          + "on such commits"
      )
    }
    for waiting in waiting {
      answer.say("  waiting for \(waiting.needed.shown): \(counted(waiting.commitCount, "commit"))")
    }
    if !incompleteFiles.isEmpty {
      let names = incompleteFiles.prefix(3).map(\.printable).joined(separator: ", ")
      let more = incompleteFiles.count > 3 ? " and \(incompleteFiles.count - 3) more" : ""
      answer.say(
        "  \(counted(incompleteFiles.count, "file")) skipped: incomplete: \(names)\(more)"
      )
    }
  }
}

extension MergeReport {
  /// Says how many commits a store has in part only.
  static func note(partialCount: Int) -> String {
    "  \(counted(partialCount, "commit")) incomplete: synchronise with a complete store"
  }
}

/// Returns why a store has another replica id than before, and which.
func replacement(of store: String, by replica: ReplicaID, wasRetired: Bool) -> String {
  let reason = wasRetired ? "its replica id was retired" : "it was copied as a file"
  return "\(store.printable): \(reason); it continues under a new replica id, \(replica)"
}

/// The commits ahead of the clock in the two stores of a synchronisation.
struct AheadOnBothSides {
  var here: [CommitsAhead] = []
  /// None if the other side is not a file.
  var there: [CommitsAhead] = []
}

extension CommitID {
  fileprivate var shown: String { "commit \(sequence) of replica \(replica)" }
}

extension Parked {
  fileprivate var json: JSON {
    [
      "replica": .string(commit.replica.text), "sequence": .integer(commit.sequence),
      "hash": .string(commit.hash.hexadecimal), "code": .string(error.code.rawValue),
      "message": .string(error.message),
    ]
  }
}

extension Waiting {
  fileprivate var json: JSON {
    [
      "replica": .string(needed.replica.text), "sequence": .integer(needed.sequence),
      "hash": .string(needed.hash.hexadecimal), "commits": .count(commitCount),
    ]
  }
}
#endif
