import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// A process that tests kill, starve or compete with. Not meant for people.
//
//   varve-torture write PATH NAME COUNT    writes COUNT mixed transactions (0: until killed)
//   varve-torture durable PATH NAME        writes in tasks that wait for the disk, until killed
//   varve-torture attempts PATH NAME       writes, and undoes large attempts, until killed
//   varve-torture start PATH NAME COUNT    the same, once there is a file PATH.go
//   varve-torture claim PATH NAME COUNT    creates COUNT names if missing, in four tasks at once
//   varve-torture tick PATH COUNT          creates an entity every 50 ms
//   varve-torture touch PATH ID COUNT      writes 1 to COUNT to an entity's "number", every 20 ms
//   varve-torture contexts PATH COUNT      uses live objects on eight actors, COUNT rounds each
//   varve-torture hold PATH MILLISECONDS   stays in a write for that time
//   varve-torture idle PATH SECONDS COUNT  counts wake-ups beside COUNT live results, until killed
//   varve-torture limited PATH BYTES       writes until files may not grow, then when they may
//   varve-torture behind PATH              writes what the home keeps and the index cannot
//   varve-torture large PATH BYTES         stores and reads one value of that size
//   varve-torture home HOME INDEX NAME COUNT   writes to a log at a home; 0: until killed
//   varve-torture locked PATH              prints whether another process has a lock on the file
let arguments = Array(CommandLine.arguments.dropFirst())
let number = arguments.last.flatMap { Int($0) } ?? 0
do {
  switch (arguments.first, arguments.count) {
  case ("write", 4): try await MixedWriter.run(arguments[1], name: arguments[2], count: number)
  case ("durable", 3): try await DurableWriters.run(arguments[1], name: arguments[2])
  case ("attempts", 3): try await AttemptingWriter.run(arguments[1], name: arguments[2])
  case ("start", 4):
    try await MixedWriter.run(arguments[1], name: arguments[2], count: number, whenTold: true)
  case ("claim", 4): try await Claiming.run(arguments[1], name: arguments[2], count: number)
  case ("tick", 3): try await Ticking.run(arguments[1], count: number)
  case ("touch", 4): try await Touching.run(arguments[1], id: arguments[2], count: number)
  case ("contexts", 3): try await Contexts.run(arguments[1], roundCount: number)
  case ("hold", 3): try await Holding.run(arguments[1], milliseconds: number)
  case ("idle", 4):
    try await Idling.run(arguments[1], seconds: Int(arguments[2]) ?? 0, count: number)
  case ("limited", 3): try await LimitedWriter.run(arguments[1], byteCount: number)
  case ("behind", 2): try await BehindHome.run(arguments[1])
  case ("large", 3): try await LargeValue.run(arguments[1], byteCount: number)
  case ("home", 5):
    try await HomeWriter.run(arguments[1], index: arguments[2], name: arguments[3], count: number)
  case ("locked", 2): try FileLocks.run(arguments[1])
  default:
    Report.line(
      "usage: write | durable | attempts | start | claim | tick | touch | contexts | hold "
        + "| idle | limited | behind | large | home | locked"
    )
    exit(64)
  }
} catch {
  Report.line("error \(error)")
  exit(1)
}
