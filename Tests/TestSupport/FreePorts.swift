import Foundation

/// A port that was free for UDP and TCP a moment ago, with the one after it. No other call gets it while this process lives,
/// nor does one of another process of tests: they run side by side, and each binds what it got later.
///
/// Below those that the kernel gives to connections, of which there are many while tests run side by side: none of them takes
/// the port before its server does.
public func freePorts() throws -> Int {
    for _ in 0..<100 {
        let port = Int.random(in: 8192..<16000) * 2
        let needed = [(port, SOCK_STREAM), (port, SOCK_DGRAM), (port + 1, SOCK_DGRAM)]
        guard let name = claimed("iounit-port-\(port)") else { continue }
        if needed.allSatisfy({ isFree($0.0, CInt($0.1.rawValue)) }) { return port }
        close(name)
    }
    throw DidNotHappen(description: "no two ports are free")
}

/// A socket with a name that no other process of this machine has, or `nil` where one has it. The kernel frees the name with the
/// process, for an abstract one is in no folder.
private func claimed(_ name: String) -> CInt? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\0\(name)".utf8) }
    let length = MemoryLayout<sa_family_t>.size + 1 + name.utf8.count
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let isOurs = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) == 0 }
    }
    if isOurs { return descriptor }
    close(descriptor)
    return nil
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
