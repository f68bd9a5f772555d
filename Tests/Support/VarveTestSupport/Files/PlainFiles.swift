import Foundation

/// Whether the stores of this run of the tests are in plain files, unless a test gives a key.
///
/// In a run with `VARVE_TEST_KEY` all stores in files are encrypted, and tests that read or change the
/// bytes of a plain file are left out.
package enum PlainFiles {
  package static let areUsed = ProcessInfo.processInfo.environment["VARVE_TEST_KEY"] == nil
}
