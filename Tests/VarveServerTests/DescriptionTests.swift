import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// `GET /openapi.json`.
@Suite struct DescriptionTests {
  @Test func `every route is described and every described route exists`() throws {
    let scratch = try Scratch()
    let spaces = try SpaceDirectory(scratch.path)
    defer { withExtendedLifetime(scratch) {} }
    let actual = VarveServer(spaces, access: .open).routeNames
    let documented = VarveServer.documentedRouteNames
    #expect(actual.subtracting(documented) == [])
    #expect(documented.subtracting(actual) == [])
    #expect(actual.count > 20)
  }

  @Test func `the description is complete in itself`() async throws {
    try await Served.with { server in
      let reply = try await server.get("/openapi.json")
      #expect(reply.status == 200)
      let document = try reply.json
      #expect(document["openapi"] == "3.1.0")
      let references = reply.text.matches(of: /"\$ref":"#\/([^"]+)"/).map { String($0.1) }
      #expect(!references.isEmpty)
      for reference in Set(references) {
        var place: JSON? = document
        for part in reference.split(separator: "/") { place = place?[String(part)] }
        #expect(place != nil, "\(reference)")
      }
      guard case .object(let paths)? = document["paths"] else { return }
      var identifiers: [String] = []
      for path in paths {
        guard case .object(let methods) = path.value else { continue }
        for method in methods {
          identifiers.append(string(method.value["operationId"]) ?? "")
          let text = method.value.text
          for part in path.name.matches(of: /\{([a-z]+)\}/) {
            #expect(text.contains(#""name":"\#(part.1)","in":"path""#))
          }
        }
      }
      #expect(Set(identifiers).count == identifiers.count)
    }
  }
}
