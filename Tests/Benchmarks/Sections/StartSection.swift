import Foundation
import Jack
import Threads

extension Section {
    static let start = Section(
        name: "start",
        introduction: """
            From the start of a program to the end of its first process callback, and the memory it then needs, beside
            jack_thru (jackd2's own pass-through) and the C client of these benchmarks. Each is started ten times, in
            turns, on a private server of 64 frames at 48 kHz.
            ms: median, and the shortest and longest. resident: MiB after a second, with the shared libraries and
            the server's shared memory, of which libjack brings in about 100; private: what no other process has.
            """
    ) { workshop in
        let server = try Server()
        defer { server.stop() }
        let programs = try programs(workshop, server: server.name)
        let preload = ["LD_PRELOAD": workshop.twins.appendingPathComponent("firstblock.so").path]
        var times = [[Double]](repeating: [], count: programs.count)
        for _ in 0..<10 {
            for (index, program) in programs.enumerated() {
                let peer = try Peer(program.path, program.arguments, reading: .error, environment: preload)
                guard let first = UInt64(try peer.line(after: "first-block ")) else {
                    throw Breakdown("\(program.name) gave no time of its first block")
                }
                times[index].append(Double(first - peer.startNanoseconds) / 1e6)
                peer.end()
            }
        }
        var rows: [[String]] = []
        var goals: [Goal] = []
        for (index, program) in programs.enumerated() {
            let peer = try Peer(program.path, program.arguments, reading: .error, environment: preload)
            _ = try peer.line(after: "first-block ")
            MonotonicClock.sleep(milliseconds: 1000)
            let resident = try Double(peer.memory("Rss")) / 1024
            let own = try Double(peer.memory("Private_Clean") + peer.memory("Private_Dirty")) / 1024
            peer.end()
            let milliseconds = times[index]
            rows.append([
                program.name, milliseconds.median.text(1), (milliseconds.min() ?? 0).text(1),
                (milliseconds.max() ?? 0).text(1), resident.text(1), own.text(1),
            ])
            goals.append(
                Goal(
                    "\(program.name): first block; resident, private memory",
                    "\(milliseconds.median.text(1)) ms; \(resident.text(1)), \(own.text(1)) MiB"))
        }
        print(Table(["program", "ms", "shortest", "longest", "resident", "private"], rows).text)
        return goals
    }

    private struct Program {
        var name: String
        var path: URL
        var arguments: [String]
    }

    private static func programs(_ workshop: Workshop, server: String) throws -> [Program] {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let thru = folders.map { URL(fileURLWithPath: "\($0)/jack_thru") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        guard let thru else { throw Breakdown("jack_thru is missing; it comes with Debian's package jackd2") }
        return [
            Program(
                name: "iounit monitor", path: workshop.products.appendingPathComponent("iounit"),
                arguments: ["monitor", "--server", server]),
            Program(name: "jack_thru", path: thru, arguments: ["thru", server]),
            Program(
                name: "C client", path: workshop.twins.appendingPathComponent("client"),
                arguments: [server, "client", "20000"]),
        ]
    }
}
