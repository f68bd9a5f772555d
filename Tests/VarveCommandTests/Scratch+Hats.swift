#if CommandLine && Server && YAML
import Foundation
import VarveTestSupport

extension Scratch {
  /// A fresh store with two hats and a shop that owns the first, on a date or now.
  func hats(_ name: String = "hats.varve", at date: String? = nil) async throws -> String {
    let store = path(name)
    let at = date.map { ",\"at\":\"\($0)\"" } ?? ""
    let operations = #"""
      {"op":"create","type":"Shop","id":"shop-1","set":{"name":"Chapeau"}AT}
      {"op":"create","type":"Hat","id":"hat-1","set":{"color":"red","size":12}AT}
      {"op":"create","type":"Hat","id":"hat-2","set":{"color":"green","size":7,"sold":true}AT}
      {"op":"relate","from":"shop-1","kind":"owns","to":"hat-1"AT}
      """#.replacing("AT", with: at)
    let file = path("\(name).jsonl")
    try Data(operations.utf8).write(to: URL(fileURLWithPath: file))
    let run = try await Program.varve("batch", store, file, "--create", "--strict")
    guard run.status == 0 else { throw Unexpected(run: run) }
    return store
  }

  /// A command that should have worked did not.
  struct Unexpected: Error { let run: Program.Run }
}
#endif
