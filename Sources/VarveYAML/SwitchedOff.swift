#if !YAML
// Placeholders where the trait is off: the compiler's message names the trait.
/// Needs the trait `YAML`: `.package(url: …, traits: ["YAML"])`.
@available(*, unavailable, message: "VarveYAML needs the trait YAML of the package varve.")
public enum YAMLDocument {}
#endif
