import VarveCore

/// The names of commit kinds in full documents.
extension CommitHeader.Kind {
  var name: String {
    switch self {
    case .ordinary: "cells"
    case .redactions: "redactions"
    case .voiding: "voiding"
    }
  }

  init?(name: String) {
    switch name {
    case "cells": self = .ordinary
    case "redactions": self = .redactions
    case "voiding": self = .voiding
    default: return nil
    }
  }
}
