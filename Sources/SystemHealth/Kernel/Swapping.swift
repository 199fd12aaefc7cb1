/// Whether memory may be moved to the disk.
enum Swapping {
    private static let swaps = "/proc/swaps"
    private static let swappiness = "/proc/sys/vm/swappiness"

    static func finding(_ snapshot: Snapshot) -> Finding {
        let subject = Subject(
            "swap", because: "a program that waits for its memory to come back from the disk is late by milliseconds")
        guard let text = snapshot.machine.text(swaps) else {
            return Finding(subject, .unseen, "Whether there is swap cannot be seen.", from: [swaps])
        }
        // A heading, then a line of file, type, size and used kilobytes each.
        let rows = text.lines.dropFirst().map(\.words).filter { $0.count >= 4 }
        guard !rows.isEmpty else {
            return Finding(subject, .ok, "There is no swap.", from: [swaps])
        }
        let used = rows.compactMap(\.[3].wholeNumber).reduce(0, &+) << 10
        let eagerness = snapshot.machine.number(swappiness)
        let statement = "There is swap, \(megabytes(used)) of it in use"
        guard let eagerness, eagerness > 10 else {
            return Finding(
                subject, eagerness == nil ? .unseen : .ok,
                statement + (eagerness.map { ", and the kernel is slow to use it (swappiness \($0))." } ?? "."),
                from: [swaps, swappiness])
        }
        return Finding(
            subject, .note, "\(statement), and the kernel is quick to use it (swappiness \(eagerness)).",
            remedy: Step.kernelSetting("vm.swappiness=10"), from: [swaps, swappiness])
    }
}
