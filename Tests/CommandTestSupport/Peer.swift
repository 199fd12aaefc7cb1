import CJack
import Jack
import Testing

/// A client of somebody else, which does nothing in the graph but have ports. Written against libjack itself, because
/// it does what a unit never would.
package final class Peer {
    private let client: OpaquePointer

    package init(_ name: String, _ ports: [String: PortDirection] = [:], on server: Server) throws {
        var status = jack_status_t(0)
        client = try #require(cjack_client_open(name, JackNoStartServer, &status, server.name))
        for (port, direction) in ports { try add(port, direction) }
        // Without one the clients that are connected to it would never run.
        jack_set_process_callback(client, doNothing, nil)
        try #require(jack_activate(client) == 0)
    }

    deinit { jack_client_close(client) }

    private var name: String { String(cString: jack_get_client_name(client)) }

    package func add(_ port: String, _ direction: PortDirection) throws {
        let flags = direction == .input ? JackPortIsInput : JackPortIsOutput
        try #require(jack_port_register(client, port, "32 bit float mono audio", UInt(flags.rawValue), 0) != nil)
    }

    package func remove(_ port: String) throws {
        let port = try #require(jack_port_by_name(client, "\(name):\(port)"))
        try #require(jack_port_unregister(client, port) == 0)
    }

    /// - Parameter port: the full name of anybody's.
    package func rename(_ port: String, to new: String) throws {
        let port = try #require(jack_port_by_name(client, port))
        try #require(jack_port_rename(client, port, new) == 0)
    }
}

/// Thread: audio.
@c(iounit_test_do_nothing) @_noLocks @_noAllocation
private func doNothing(frames: UInt32, context: UnsafeMutableRawPointer?) -> CInt { 0 }
