/// What benchmarks are made from.
struct Context {
  let options: Options
  let workspace: Workspace

  func scaled(_ size: Int) -> Int { options.scaled(size) }
}
