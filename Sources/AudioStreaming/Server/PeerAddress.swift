import Glibc

/// Where a connection comes from, as far as places are shared out: an address of IPv4, or a network of IPv6, of whose addresses a host
/// has as many as it likes.
package struct PeerAddress: Hashable, Sendable {
    private let bytes: [UInt8]
    /// Whether it is this machine, and so may be a proxy for anybody.
    let isLocal: Bool

    /// - Parameter address: of 4 or 16 bytes.
    init(_ address: [UInt8]) {
        let mapped = [UInt8](repeating: 0, count: 10) + [255, 255]
        let address = address.starts(with: mapped) ? Array(address.dropFirst(12)) : address
        isLocal = address.count == 4 ? address[0] == 127 : address == [UInt8](repeating: 0, count: 15) + [1]
        bytes = address.count == 4 ? address : Array(address.prefix(8))
    }

    /// Of a socket's other end; `nil` where that has gone.
    init?(of descriptor: CInt) {
        guard let address = unsafe SocketAddress(of: descriptor, getpeername) else { return nil }
        self.init(address)
    }

    /// Without the port; `nil` where it is of neither kind.
    package init?(_ address: SocketAddress) {
        guard address.ofIPv4 != nil || address.ofIPv6 != nil else { return nil }
        // Behind the family and the port, of IPv6 also behind the flow.
        self.init(Array(address.ofIPv4 != nil ? address.bytes[4..<8] : address.bytes[8..<24]))
    }
}
