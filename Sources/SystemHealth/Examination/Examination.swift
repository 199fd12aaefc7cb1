/// A look at the machine for all that may keep sound from being in time. It changes nothing: no file is written, no
/// client joins a server, and no program is started but one that asks a running PipeWire for its settings.
/// Where PipeWire may run out of sight, it is asked at its socket, which starts it if systemd listens in its place.
public struct Examination: Codable, Sendable {
    /// Worst first.
    public let findings: [Finding]

    /// Takes a second for each JACK server that does not answer, and at most two for PipeWire. Thread: control.
    public init(_ machine: Machine = .running) {
        let snapshot = Snapshot(machine)
        let found: [[Finding?]] = [
            [RealtimePriority.finding(snapshot)], RealtimeBudget.findings(snapshot), [LockedMemory.finding(snapshot)],
            GroupMembership.findings(snapshot), SoundCard.findings(snapshot), JackServer.findings(snapshot),
            [JackLibrary.finding(snapshot)], SoundServer.findings(snapshot), [PipeWireQuantum.finding(snapshot)],
            [SharedMemory.finding(snapshot)], ServerPlaces.findings(snapshot), [FrequencyGovernor.finding(snapshot)],
            [KernelPreemption.finding(snapshot)], InterruptLine.findings(snapshot), KernelClock.findings(snapshot),
            [Swapping.finding(snapshot)], [MemoryLimit.finding(snapshot)], Virtualization.findings(snapshot),
        ]
        // In the order above among those of the same weight.
        findings = Finding.Weight.allCases.flatMap { weight in
            found.joined().compactMap { $0?.weight == weight ? $0 : nil }
        }
    }

    /// How many findings have this weight.
    public func count(_ weight: Finding.Weight) -> Int { findings.count { $0.weight == weight } }

    /// Whether nothing was found that must be put right before sound can be relied upon. Warnings may be lived with.
    public var isFit: Bool { count(.problem) == 0 }

    private var hasNoCard: Bool { findings.contains { $0.subject == SoundCard.subject.name && $0.weight == .warning } }

    /// The whole in a sentence or two.
    public var verdict: String {
        func times(_ weight: Finding.Weight, _ noun: String) -> String? {
            let count = count(weight)
            return count == 0 ? nil : "\(count) \(noun)\(count == 1 ? "" : "s")"
        }
        let counted = [Finding.Weight.problem, .warning, .note].compactMap { times($0, $0.rawValue) }
            .joined(separator: ", ")
        let sentence =
            if !isFit {
                "This machine is not fit for live sound yet: \(counted)."
            } else if hasNoCard {
                "This machine has no sound card. But for that it is fit for live sound"
                    + (count(.warning) > 1 ? ", with reservations: \(counted)." : ": \(counted).")
            } else if count(.warning) > 0 {
                "This machine is fit for live sound, with reservations: \(counted)."
            } else {
                "This machine is fit for live sound\(counted.isEmpty ? "" : ": \(counted)")."
            }
        guard let unseen = times(.unseen, "thing") else { return sentence }
        return "\(sentence) \(unseen) could not be seen, and may be well or not."
    }
}
