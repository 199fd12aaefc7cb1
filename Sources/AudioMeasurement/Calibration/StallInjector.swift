import AudioRealtime
import Jack

/// A JACK client with the ports `in` and `out` that notes its cycles, and is late when told to.
package final class StallInjector: Sendable {
    private let client: StampClient<StallProcess>

    package init(clientName: String, server: String) throws(JackError) {
        let client = try Client(name: clientName, server: server, permitsRenaming: false)
        _ = try client.register("in", .input)
        _ = try client.register("out", .output)
        // SAFETY: the callback takes such a process as its context.
        self.client = try unsafe StampClient(client, callback: stallProcess) { StallProcess(client: $0, records: $1) }
    }

    /// As of `Sentinel`.
    package func onCycles(_ listener: (@Sendable ([CycleRecord]) -> Void)?) { client.onCycles(listener) }

    package func connect(_ source: String, to target: String) throws(JackError) {
        try client.connect(source, to: target)
    }

    /// Makes the next cycle take so long. Thread: control.
    package func stall(nanoseconds: UInt64) {
        // SAFETY: here and below, the cell keeps the process.
        unsafe client.process.pointer.pointee.endNanoseconds.store(0, ordering: .relaxed)
        unsafe client.process.pointer.pointee.wantedNanoseconds.store(nanoseconds, ordering: .releasing)
    }

    /// The stall that was asked for, once it is over.
    package var lastStall: Stall? {
        let end = unsafe client.process.pointer.pointee.endNanoseconds.load(ordering: .acquiring)
        guard end > 0 else { return nil }
        return Stall(
            beginNanoseconds: unsafe client.process.pointer.pointee.beginNanoseconds.load(ordering: .relaxed),
            endNanoseconds: end)
    }

    var hasLostServer: Bool { client.hasLostServer }

    /// Leaves the graph, and hands the last records over. Calling it again does nothing. Thread: control.
    package func stop() { client.stop() }
}
