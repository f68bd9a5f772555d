#if CommandLine
import ArgumentParser

/// `varve completions`
struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print a script that completes commands in a shell.",
    discussion: """
      Examples:
        varve completions bash > ~/.local/share/bash-completion/completions/varve
        varve completions zsh > ~/.zsh/completions/_varve
        varve completions fish > ~/.config/fish/completions/varve.fish
      """
  )

  @Argument(help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"])) var shell:
    String

  func run() throws {
    guard let shell = CompletionShell(rawValue: shell) else {
      throw UsageError("The shell must be bash, zsh or fish.")
    }
    try Output.line(VarveCommand.completionScript(for: shell))
  }
}
#endif
