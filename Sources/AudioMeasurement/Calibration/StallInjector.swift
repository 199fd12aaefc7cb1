import AudioIO
import AudioRealtime
import Jack

/// A sentinel with the ports `in` and `out` that is late when told to.
struct StallInjector {
    let client: Sentinel
    private let order = Cell(StallOrder())

    init(clientName: String, server: String) throws(JackError) {
        let client = try Client(name: clientName, server: server, permitsRenaming: false)
        _ = try client.register("in", .input)
        _ = try client.register("out", .output)
        self.client = try Sentinel(client, stall: order)
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
}
