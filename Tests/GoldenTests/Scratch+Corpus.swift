import Foundation
import VarveTestSupport

extension Scratch {
  /// Copies a file or folder of the corpus into it.
  func copy(_ name: String) throws -> String {
    try FileManager.default.copyItem(atPath: GoldenCorpus.url(name).path, toPath: path(name))
    return path(name)
  }
}
