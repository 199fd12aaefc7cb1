import AudioIO
import AudioRealtime
import Jack

/// A JACK client with the ports `in` and `out` that notes its cycles, and is late when told to.
final class StallInjector: Sendable {
    private let client: StampClient
    private let order = Cell(StallOrder())

    init(clientName: String, server: String) throws(JackError) {
        let client = try Client(name: clientName, server: server, permitsRenaming: false)
        _ = try client.register("in", .input)
        _ = try client.register("out", .output)
        self.client = try StampClient(client, stall: order)
    }

    /// As of `Sentinel`.
    func onCycles(_ listener: (@Sendable ([CycleRecord]) -> Void)?) { client.onCycles(listener) }

    func connect(_ source: String, to target: String) throws(JackError) {
        try client.connect(source, to: target)
    }

    /// Makes the next cycle take so long. Thread: control.
    func stall(nanoseconds: UInt64) {
        // SAFETY: here and below, the cell keeps the order, which is of atomics.
        unsafe order.pointer.pointee.give(nanoseconds: nanoseconds)
    }

    /// The stall that was asked for, once it is over.
    var lastStall: Stall? {
        unsafe order.pointer.pointee.stall.map { Stall(beginNanoseconds: $0, endNanoseconds: $1) }
    }

    var hasLostServer: Bool { client.hasLostServer }

    /// Leaves the graph, and hands the last records over. Calling it again does nothing. Thread: control.
    func stop() { client.stop() }
}
