#if CommandLine && Server
import Foundation
import Testing
import VarveTestSupport

@Suite("Scripts of trials")
struct EndingsTests {
  #if os(Linux)
  @Test func `end the processes that work in their folder, also those whose parents have ended`()
    async throws
  {
    let scratch = try Scratch()
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Scripts").path
    let text = """
      import subprocess, sys
      from pathlib import Path
      sys.dont_write_bytecode = True
      sys.path.insert(0, sys.argv[1])
      from endings import end_all_in, processes_in
      folder = Path(sys.argv[2]).resolve()
      (folder / "deeper").mkdir()
      # A session of its own, whose first process ends at once.
      start = "cd deeper && (sleep 600 & sleep 600 &)"
      subprocess.run(["setsid", "sh", "-c", start], cwd=folder)
      beside = subprocess.Popen(["sleep", "600"], cwd="/")
      print(len(processes_in(folder)))
      end_all_in(folder)
      print(len(processes_in(folder)), beside.poll())
      beside.kill()
      """
    let output = try await HostProcess.output(of: [
      "python3", "-c", text, folder, scratch.path,
    ])
    #expect(output == "2\n0 None\n", "\(output)")
  }
  #endif
}
#endif
