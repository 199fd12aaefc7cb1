import Foundation

/// A port that was free for UDP a moment ago, with the one after it.
public func freePorts() throws -> Int {
    func bound(_ port: Int) -> (CInt, Int)? {
        let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
    for _ in 0..<100 {
        guard let (first, port) = bound(0) else { continue }
        defer { close(first) }
        guard port.isMultiple(of: 2), let (second, _) = bound(port + 1) else { continue }
        close(second)
        return port
    }
    throw DidNotHappen(description: "no two ports are free")
}
