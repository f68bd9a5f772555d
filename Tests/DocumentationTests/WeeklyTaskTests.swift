import Testing

@Suite("The weekly tasks beside each other")
struct WeeklyTaskTests {
  @Test func `ours is at most one line longer than the shortest of the others`() throws {
    var ours = 0
    var others: [Int] = []
    var open: (isOurs: Bool, count: Int)?
    func finish() { #expect(others.isEmpty || ours <= (others.min() ?? 0) + 1) }
    for line in try Repository.text("Documentation/WeeklyTasks.md").split(separator: "\n") {
      if line.hasPrefix("### ") {
        finish()
        others = []
      } else if line.hasPrefix("```"), let block = open {
        if block.isOurs { ours = block.count } else { others.append(block.count) }
        open = nil
      } else if line.hasPrefix("```swift") {
        open = (line == "```swift", 0)
      } else {
        open?.count += 1
      }
    }
    finish()
    #expect(!others.isEmpty)
  }
}
