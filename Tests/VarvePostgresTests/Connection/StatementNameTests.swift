#if CommandLine && Server
import Testing
import VarvePostgres

@Suite("The name of a prepared statement")
struct StatementNameTests {
  @Test func `differs for all statements of a home, and fits into what PostgreSQL keeps of it`() {
    let names = HomeStatement.allCases.map { StatementName(of: $0.rawValue).text }
    #expect(Set(names).count == HomeStatement.allCases.count)
    for name in names {
      #expect(name.utf8.count <= 63)
      // 128 bits, and more, of a hash.
      let digits = name.dropFirst("varve_".count).filter(\.isHexDigit)
      #expect(digits.count * 4 >= 128, "\(name)")
    }
  }

  @Test func `the name of a prepared statement is that of the text alone, in every process`() {
    let name = StatementName(of: "SELECT $1::bigint").text
    #expect(name == StatementName(of: "SELECT $1::bigint").text)
    #expect(name != StatementName(of: "SELECT $1::text").text)
    #expect(name == "varve_c1caee52ac4eecbca1ffdceca42ea419cea357ec0260b591")
  }
}
#endif
