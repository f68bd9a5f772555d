/// The version of this package.
package enum VarveVersion {
  /// The version, as the command, the server and its documents show it. A release has the same
  /// number in its tag; between releases it is the next one, with `-dev`.
  package static let text = "0.9.0-dev"
}
