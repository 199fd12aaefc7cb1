import AudioDSP
import CommandSyntax
import Jack

extension Release {
    /// What `iounit --version --verbose` says beside the version.
    package static func details() -> [String] {
        [
            "libjack \(LibJack.version)",
            "guard \(CancellationGuard.state.rawValue)",
            "instructions \(InstructionSet.best.name)",
        ]
    }
}
