import Testing
import VarveCore
import VarveSealed
import VarveTestSupport

@Suite("Secrets")
struct SecretTests {
  /// Returns everything that a value shows of itself.
  private func shown(_ value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value) \(String(reflecting: value)) \(dumped)"
  }

  @Test func `nothing that has a secret shows it`() throws {
    let team = try SealedTeam()
    let invitation = Invitation(role: .writer)
    let key = try team.epochKey
    let pattern = Secret(copying: [UInt8](repeating: 0xAB, count: 32))
    let secrets: [[UInt8]] = [
      key.secret.exposed, Array(team.ana.secret.exposed[1..<33]),
      Array(team.ana.secret.exposed[33...]), pattern.exposed,
    ]
    let printed = [team.recovery.printed, invitation.code]
    let values: [Any] = [
      pattern, team.ana, team.ana.secret, team.recovery, key, team.keyring, invitation,
      OpenInvitation(invitation, end: 1), team, [team.ana], MembershipMemory(team.log).secret,
    ]
    for value in values {
      let text = shown(value)
      for secret in secrets {
        #expect(!text.lowercased().contains(secret.hex.prefix(12)))
        let list = secret.prefix(4).map(String.init).joined(separator: ", ")
        #expect(!text.contains(list))
        let lines = secret.prefix(3).map { "- \($0)" }
        #expect(
          !text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
            .joined(separator: "\n").contains(lines.joined(separator: "\n"))
        )
      }
      for code in printed { #expect(!text.contains(code.prefix(9))) }
    }
    // The check finds what is shown.
    #expect(shown(pattern.exposed).contains("171, 171, 171"))
  }

  @Test func `bytes are overwritten`() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 16)
    defer { buffer.deallocate() }
    for index in buffer.indices { buffer[index] = 0xCD }
    Secret.wipe(buffer)
    #expect(buffer.allSatisfy { $0 == 0 })
  }

  @Test func `secrets are equal if all bytes are`() {
    #expect(Secret(copying: [1, 2]) == Secret(copying: [1, 2]))
    #expect(Secret(copying: [1, 2]) != Secret(copying: [1, 3]))
    #expect(Secret(copying: [1, 2]) != Secret(copying: [1, 2, 0]))
  }

  @Test func `a recovery key is typed in any form and mistakes are noticed`() throws {
    let key = try RecoveryKey()
    let printed = key.printed
    #expect(printed.split(separator: "-").map(\.count) == Array(repeating: 4, count: 14))
    let sloppy = printed.lowercased().replacing("-", with: " ").replacing("0", with: "o")
      .replacing("1", with: "l")
    #expect(try RecoveryKey(printed: sloppy).signer.id == key.signer.id)
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      var digits = Array(printed)
      let index = Int.random(in: 0..<digits.count, using: &random)
      guard digits[index] != "-" else { continue }
      digits[index] = digits[index] == "7" ? "8" : "7"
      let error = #expect(throws: VarveError.self) { try RecoveryKey(printed: String(digits)) }
      #expect(error?.code == .invalidArgument)
      #expect(error?.description.contains(String(digits.prefix(4))) == false)
    }
    for text in ["", "abc", printed + "0", String(printed.dropLast()), "ü", "ß", "🎩"] {
      #expect(throws: VarveError.self) { try RecoveryKey(printed: text) }
    }
  }

  @Test func `domains are no beginnings of one another`() {
    let domains = Domain.allCases.map(\.bytes)
    for (index, domain) in domains.enumerated() {
      for other in domains[(index + 1)...] {
        #expect(!other.starts(with: domain) && !domain.starts(with: other))
      }
    }
  }
}
