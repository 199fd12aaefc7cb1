import Foundation
import TestSupport

@testable import AudioStreaming

/// `Receivers/stream.py`: a server of WebSockets that is not ours.
final class WebServer {
    let receiver: Receiver
    let port: Int
    let folder: TemporaryFolder
    private let isEncrypted: Bool

    init(_ arguments: [String] = [], port: Int = 0, certificate: String? = nil, folder: TemporaryFolder) throws {
        self.folder = folder
        isEncrypted = certificate != nil
        let file = folder("port-\(UUID().uuidString)")
        receiver = try Receiver(
            "/usr/bin/python3",
            [Receiver.script("stream.py"), "--port-file", file, "--port", "\(port)"] + arguments
                + (certificate.map { ["--certificate", $0] } ?? []), folder: folder)
        let program = receiver.program
        try waitUntil("the server listens") { FileManager.default.fileExists(atPath: file) || !program.isRunning }
        self.port = try Int(String(contentsOfFile: file, encoding: .utf8)) ?? 0
    }

    /// A certificate for names and addresses, with its key, in one file that is its own authority.
    static func certificate(for name: String, in folder: TemporaryFolder) throws -> String {
        let (key, certificate, both) = (folder("key.pem"), folder("certificate.pem"), folder("both.pem"))
        let made = try Program.output(
            of: "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=iounit test", "-addext", "subjectAltName=\(name)", "-keyout", key, "-out", certificate,
            ])
        guard made != nil else { throw DidNotHappen(description: "openssl made a certificate") }
        try Data(Data(contentsOf: URL(fileURLWithPath: key)) + Data(contentsOf: URL(fileURLWithPath: certificate)))
            .write(to: URL(fileURLWithPath: both))
        return both
    }

    func address(_ path: String = "/", host: String = "127.0.0.1") -> WebAddress {
        WebAddress(scheme: isEncrypted ? .wss : .ws, host: host, port: port, path: path)
    }

    /// What came by each connection.
    func connections() throws -> [[String: Any]] {
        let data = try receiver.heard()
        guard let all = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
            throw DidNotHappen(description: "the server printed JSON")
        }
        return all
    }
}
