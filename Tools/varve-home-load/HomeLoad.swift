import Foundation
import VarveCore
import VarvePostgres
import VarveStore

// A program that writes to spaces of a home and reads from them, for `make measure-home`, which
// runs pgbench beside it. It prints one JSON object. Not meant for people.
//
//   varve-home-load commits URL FOLDER WRITERS SPACES SECONDS   commits of one entity
//   varve-home-load bulk URL FOLDER COUNT                       one commit with COUNT entities
//   varve-home-load find URL FOLDER COUNT SECONDS               finds by id, of COUNT entities
//   varve-home-load index URL FOLDER COUNT                      a new host's first index
//   varve-home-load follow URL FOLDER SPACES ROUNDS             what another host writes, until it
//   is here
@main
enum HomeLoad {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let numbers = arguments.dropFirst(3).compactMap { Int($0) }
    guard arguments.count >= 4, numbers.count == arguments.count - 3 else { return usage() }
    let load = Load(url: arguments[1], folder: arguments[2])
    let result: [String: Double]
    switch (arguments[0], numbers.count) {
    case ("commits", 3):
      result = try await load.commits(
        writerCount: numbers[0],
        spaceCount: numbers[1],
        seconds: numbers[2]
      )
    case ("bulk", 1): result = try await load.bulk(count: numbers[0])
    case ("find", 2): result = try await load.finds(of: numbers[0], seconds: numbers[1])
    case ("index", 1): result = try await load.firstIndex(of: numbers[0])
    case ("follow", 2):
      result = try await load.following(spaceCount: numbers[0], roundCount: numbers[1])
    default: return usage()
    }
    let fields = result.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
    print("{\(fields.joined(separator: ", "))}")
  }

  private static func usage() {
    FileHandle.standardError.write(Data("usage: see HomeLoad.swift\n".utf8))
    exit(64)
  }
}
