#if CommandLine
/// Numbers drawn as upright bars of Unicode blocks, a column each.
///
/// ```
///   ▂█
/// ▁▆██ ▁
/// ```
struct Bars {
  private let eighths: [Int]
  private let height: Int

  private static let blocks = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// - Parameters:
  ///   - greatest: the number that fills the height.
  ///   - height: the number of lines.
  init(_ numbers: [Int], greatest: Int, height: Int) {
    self.height = height
    let scale = Double(height * 8) / Double(max(greatest, 1))
    // What is not zero is visible.
    eighths = numbers.map { $0 == 0 ? 0 : max(1, Int((Double($0) * scale).rounded())) }
  }

  /// The lines, from the top.
  var lines: [String] {
    (0..<height).reversed().map { line in
      eighths.map { Self.blocks[min(max($0 - line * 8, 0), 8)] }.joined()
    }
  }
}
#endif
