import AudioFigures
import AudioReports
import Foundation

@testable import FileCommands
@testable import TerminalPages

extension Target {
    /// Numbers as people read them: whatever the bits are.
    static let quantities = Target(name: "quantities") { bytes in
        guard bytes.count >= 8 else { return }
        let bits = bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let value = Double(bitPattern: bits)
        for digits in 0...9 { requireHarmless(fixed(value, digits), "a number") }
        for said in [
            rounded(value), duration(value), frames(value), decibels(value), loudnessText(value), signed(value),
            clock(value),
        ] {
            requireHarmless(said, "a number")
            require(said.count < 40, "\(said) for \(value)")
        }
        requireHarmless(durationAtMost(Int64(bitPattern: bits)), "a time")
        guard value.isFinite, abs(value) < 1e9, let again = Double(fixed(value, 6)) else { return }
        require(abs(again - value) <= 1e-6, "\(value) is printed as \(again)")
    }

    /// What the kernel says of the machine.
    static let facts = Target(name: "facts") { bytes in
        let text = text(bytes)
        requireHarmless(shown(HostFacts.processor(text) ?? ""), "a processor")
        let model = HostFacts.preemption(
            realtime: text, debug: text, version: text, commandLine: text, configuration: text)
        require(model?.utf8.count ?? 0 <= max(9, bytes.count * 3), "\(model ?? "")")
    }
}
