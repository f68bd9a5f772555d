import VarveCore
import VarveJSON
import VarveSync

extension SyncReport {
  /// The report as JSON.
  var json: JSON {
    [
      "received": .count(receivedCount), "sent": .count(sentCount),
      "completed": .count(completedCount), "partial": .count(partialCount),
      "withheld": .count(withheldCount),
      "heldBack": .count(heldBackCount),
      "died": died.json, "replacedReplica": .optional(replacedReplica?.text),
      "parked": .array((parked + parkedThere).map(\.json)),
      "waiting": .array(waiting.map(\.json)),
      "incompleteFiles": .array(incompleteFiles.map(JSON.string)),
      "complete": .bool(isComplete),
    ]
  }

  /// Adds the report to a result as lines of text.
  func say(here: String, there: String, in answer: inout Answer) {
    answer.say(
      "\(here.printable) ↔ \(there.printable): \(counted(receivedCount, "commit")) received, "
        + "\(grouped(sentCount)) sent"
    )
    if completedCount > 0 {
      answer.say("  \(counted(completedCount, "commit")) completed, after the present")
    }
    if partialCount > 0 {
      answer.say(
        "  \(counted(partialCount, "commit")) incomplete: synchronise with a complete store"
      )
    }
    if withheldCount > 0 {
      answer.say("  \(withheldCount) withheld: stamped ahead of this computer's clock")
    }
    if !died.isEmpty { answer.say("  died by the merge: \(died.shown())") }
    if let replacedReplica {
      answer.say(
        "  \(here.printable) was copied as a file; it continues under a new replica id, "
          + "\(replacedReplica)"
      )
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
      answer.say("  \(counted(incompleteFiles.count, "file")) skipped: incomplete")
    }
  }
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
