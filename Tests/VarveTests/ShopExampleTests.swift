import Foundation
import Testing

@Suite("The example of the shop")
struct ShopExampleTests {
  @Test func `the example of the shop prints the output in its README`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Examples/Shop")
    let document = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
    let output = try run()
    #expect(output.hasPrefix("1. Opened with 4 hats\n"))
    #expect(document.contains("prints\n\n```\n\(output)```\n"), "it printed:\n\(output)")
  }

  /// Runs the built program, which is beside the bundle of the tests.
  private func run() throws -> String {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let beside = bundle?.bundleURL ?? URL(filePath: CommandLine.arguments[0])
    let process = Process()
    process.executableURL = beside.deletingLastPathComponent().appending(path: "shop").absoluteURL
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: output, as: UTF8.self)
  }
}
