#if CommandLine && Server
import Foundation
import Testing
import VarveClient
import VarveCore
import VarveServer
import VarveTestSupport

/// What a client says if it has no reply.
@Suite(.timeLimit(.minutes(2))) struct TransportFailureTests {
  private func error(of url: String) async -> VarveError? {
    await #expect(throws: VarveError.self) { _ = try await RemoteServer(url).spaces() }
  }

  private func expect(_ message: String, of url: String) async {
    let error = await error(of: url)
    #expect(error?.code == .inputOutput)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.place?.hasPrefix(url) == true)
    #expect(error?.remedy?.hasSuffix(".") == true)
    let text = (error?.message ?? "") + (error?.remedy ?? "")
    for foreign in ["errno", "Error", "(", "/Sources/", "\n"] {
      #expect(!text.contains(foreign), "\(text)")
    }
  }

  @Test func `each kind of failure has a sentence of its own`() async throws {
    let free = try SmallServer(nil).port
    await expect("nothing listens", of: "http://127.0.0.1:\(free)")
    await expect("is not known", of: "http://no-such-host.invalid")
    await expect("is none of a server", of: "gopher://127.0.0.1")
  }

  @Test func `a server without HTTP has another error than one that closes early`() async throws {
    let other = try SmallServer("220 mail.example ESMTP\r\n")
    await expect("does not speak HTTP", of: "http://127.0.0.1:\(other.port)")
    await expect("does not encrypt", of: "https://127.0.0.1:\(other.port)")
    let closing = try SmallServer("")
    await expect("closed before", of: "http://127.0.0.1:\(closing.port)")
    let cut = try SmallServer("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")
    await expect("closed before", of: "http://127.0.0.1:\(cut.port)")
    let page = try SmallServer(
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n<html"
    )
    await expect("is none of a server of Varve", of: "http://127.0.0.1:\(page.port)")
    withExtendedLifetime((other, closing, cut, page)) {}
  }

  @Test func `an untrusted certificate has another error than a missing server`()
    async throws
  {
    let scratch = try Scratch()
    let files = TLSFiles(certificate: scratch.path("tls.crt"), key: scratch.path("tls.key"))
    try Data(Fixtures.certificate.utf8).write(to: URL(fileURLWithPath: files.certificate))
    try Data(Fixtures.key.utf8).write(to: URL(fileURLWithPath: files.key))
    try await Served.with(settings: Served.Settings(tls: files)) { server in
      await expect("certificate that this computer trusts", of: "https://localhost:\(server.port)")
    }
  }
}

/// A server that sends the same bytes on every connection, and closes it.
private final class SmallServer: Sendable {
  let port: Int
  private let socket: ListeningSocket?

  /// - Parameter text: what is sent; nil to listen no longer.
  init(_ text: String?) throws {
    let socket = try ListeningSocket()
    port = socket.port
    guard let text else {
      socket.accept { _ in }
      self.socket = nil
      return
    }
    self.socket = socket
    socket.accept { connection in
      var request = [UInt8](repeating: 0, count: 4_096)
      _ = recv(connection, &request, request.count, 0)
      let bytes = Array(text.utf8)
      _ = send(connection, bytes, bytes.count, 0)
    }
  }
}
#endif
