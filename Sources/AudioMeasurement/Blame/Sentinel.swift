import AudioRealtime
import Jack

/// A JACK client that waits for nobody and only notes when each cycle begins: what a `BlameJudge` compares with.
///
/// It has no ports, so that JACK wakes it with the cycle, before any client that waits for another. Open it before
/// the unit that it stands beside: JACK wakes clients that can start at once in the order in which they were opened.
public final class Sentinel: Sendable {
    private let client: StampClient

    /// Opens a client and joins the graph.
    ///
    /// - Parameter server: which server; `nil` for the one that `JACK_DEFAULT_SERVER` names, or `default`.
    ///
    /// Thread: control.
    public init(clientName: String, server: String? = nil) throws(JackError) {
        client = try StampClient(Client(name: clientName, server: server))
    }

    /// Hands over the record of each cycle from now on, in order, in batches about a hundred times a second.
    ///
    /// - Parameter listener: called on a worker, or on the thread of whoever sets or stops. It must not call the
    ///   sentinel. `nil` ends it.
    public func onCycles(_ listener: (@Sendable ([CycleRecord]) -> Void)?) { client.onCycles(listener) }

    /// Cycles whose record was lost because nobody read the ring in time.
    public var lostRecords: UInt64 { client.lostRecords }

    /// Leaves the graph, and hands the last records over. Calling it again does nothing. Thread: control.
    public func stop() { client.stop() }
}
