import Foundation

/// A port that was free for UDP and TCP a moment ago, with the one after it.
///
/// Below those that the kernel gives to connections, of which there are many while tests run side by side: none of them takes
/// the port before its server does.
public func freePorts() throws -> Int {
    for _ in 0..<100 {
        let port = Int.random(in: 8192..<16000) * 2
        let needed = [(port, SOCK_STREAM), (port, SOCK_DGRAM), (port + 1, SOCK_DGRAM)]
        if needed.allSatisfy({ isFree($0.0, CInt($0.1.rawValue)) }) { return port }
    }
    throw DidNotHappen(description: "no two ports are free")
}

private func isFree(_ port: Int, _ type: CInt) -> Bool {
    let descriptor = socket(AF_INET, type, 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}
