import TestSupport
import Testing
import Threads

@testable import AudioStreaming

@Suite("The addresses of a host") struct HostLookupTests {
    /// What a name server that says nothing comes to.
    private func error(withinSeconds seconds: Double, waits: () -> Bool) -> StreamError? {
        let isOver = Semaphore()
        defer { isOver.handle.post() }
        return #expect(throws: StreamError.self) {
            try HostLookup(.udp, host: "slow.invalid", port: 9).addresses(
                operation: "try it", advice: "write the address", withinSeconds: seconds, waits: waits
            ) {
                isOver.wait()
                return .failure(Socket.Refusal(words: "nobody asks any more"))
            }
        }
    }

    @Test func `are not waited for without end`() {
        let due = "the name slow.invalid cannot be resolved (no name server answers); write the address"
        #expect(error(withinSeconds: 0.05) { true } == StreamError(.unresolved, "try it", due))
    }

    @Test func `are waited for no longer than they are wanted`() {
        var looks = 0
        let error = error(withinSeconds: 100_000) {
            looks += 1
            return looks == 1
        }
        #expect(looks == 2)
        #expect(error == StreamError(.network, "try it", "no name server has answered yet for slow.invalid"))
    }

    @Test func `are taken as the C library gives them`() throws {
        let lookup = HostLookup(.udp, host: "127.0.0.1", port: 5004)
        let found = try #require(try lookup.addresses(operation: "try it") { false }.first)
        #expect(found.numeric == "127.0.0.1" && found.bytes[2...3].elementsEqual([0x13, 0x8c]))
        let names = try HostLookup(.tcp, host: "localhost", port: 1).addresses(operation: "try it").map(\.numeric)
        #expect(names.contains("127.0.0.1") || names.contains("::1"), "\(names)")
    }
}
