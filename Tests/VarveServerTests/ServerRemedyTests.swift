#if CommandLine && Server
import Foundation
import Testing
import VarveTestSupport

/// What the command line prints about a server's refusals.
@Suite struct ServerRemedyTests {
  /// Commands that a server refuses, and what remedies them on the command line.
  private static let refused = [
    ("sync laptop.varve $url/hats", "by --token-file, or set VARVE_TOKEN."),
    ("space list $url", "Name the file of the token by --token-file, or set VARVE_TOKEN."),
    (
      "sync laptop.varve $url/none --token-file ada",
      "varve space create creates it; varve space list lists the spaces."
    ),
    ("space backup $url/none copy.varve --token-file lee", "varve space list lists the spaces."),
    ("space create $url/caps --token-file lee", "Ask an operator of the server."),
    (
      "space end $url/hats --id 00000000-0000-4000-8000-000000000000 --token-file ada",
      "Nothing was removed. Name the id that varve space list shows."
    ),
    ("space end $url/hats --id x --token-file ada", "Name the id that varve space list shows,"),
    ("grant revoke $url/hats ben --token-file ada", "varve grant list lists the subjects"),
    (
      "sync laptop.varve $url/old --token-file ada",
      "varve space create creates another space under the name."
    ),
  ]

  @Test(arguments: ["", " --json"])
  func `remedies name commands, and no requests`(option: String) async throws {
    let commands = Self.refused.map { "varve \($0.0)\(option); echo \"= $?\"" }
    let run = try await ServeCommandTests().shell(
      """
      varve init laptop.varve
      varve token create ada --in stores --operator --grant '*=admin' > ada
      varve token create lee --in stores --grant hats=writer > lee
      serve
      for name in hats old; do varve space create "$url/$name" --token-file ada; done
      id=$(varve space list "$url" --token-file ada | sed -n 's/^old .* //p')
      varve space end "$url/old" --id "$id" --token-file ada
      echo ---
      \(commands.joined(separator: "\n"))
      stop TERM
      """
    )
    let refusals =
      run.output.components(separatedBy: "---\n").last?
      .components(separatedBy: "= 1\n") ?? []
    #expect(refusals.count == Self.refused.count + 1, "\(run.output)")
    for (refusal, expected) in zip(refusals, Self.refused) {
      #expect(refusal.contains(expected.1), "\(expected.0): \(refusal)")
      for word in ["GET", "PUT", "POST", "DELETE", "header"] {
        #expect(!refusal.contains(word), "\(expected.0): \(refusal)")
      }
    }
  }
}
#endif
