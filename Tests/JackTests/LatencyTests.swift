import TestSupport
import Testing
import Threads

@testable import Jack

/// What others learn of the latency through a client that stands between capture and playback.
@Suite(.serialized, .privateServer())
struct LatencyTests {
    private struct Seen: Equatable {
        var capture: LatencyRange
        var playback: LatencyRange
    }

    /// Waits until the server has asked all, which it does later than the connections are made.
    private func expect(
        capture: Int, playback: Int, added: Int?, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let client = try Client(name: "between", server: PrivateServer.name)
        let input = try client.register("in", .input)
        let output = try client.register("out", .output)
        if let added { _ = LatencyDeclaration(of: client, inputs: [input], outputs: [output], addedFrames: added) }
        let active = try client.activate()
        try active.connect("system:capture_1", to: input.name)
        try active.connect(output.name, to: "system:playback_1")
        try active.recomputeLatencies()

        let reader = try Client(name: "reader", server: PrivateServer.name)
        func seen() -> [Seen?] {
            [output, input].map { port in
                reader.port(named: port.name).map { Seen(capture: $0.captureLatency, playback: $0.playbackLatency) }
            }
        }
        let hardwareCapture = reader.port(named: "system:capture_1")?.captureLatency
        let hardwarePlayback = reader.port(named: "system:playback_1")?.playbackLatency
        #expect(hardwareCapture == LatencyRange(minimum: 64, maximum: 64), sourceLocation: sourceLocation)
        #expect(hardwarePlayback == LatencyRange(minimum: 128, maximum: 128), sourceLocation: sourceLocation)
        try await eventually("a capture latency of \(capture) at the output, and of \(playback) at the input") {
            let now = seen()
            return now[0]?.capture == LatencyRange(minimum: capture, maximum: capture)
                && now[1]?.playback == LatencyRange(minimum: playback, maximum: playback)
        }
        try active.close()
    }

    @Test func theDeclaredLatencyIsAddedToWhatLiesBeforeAndAfter() async throws {
        try await expect(capture: 64 + 100, playback: 128 + 100, added: 100)
    }

    @Test func withNothingAddedItIsWhatJackItselfGivesThrough() async throws {
        try await expect(capture: 64, playback: 128, added: 0)
    }

    @Test func aNegativeLatencyCountsAsNone() async throws {
        try await expect(capture: 64, playback: 128, added: -7)
    }

    @Test func afterItsEndNothingIsDeclaredAnyMore() async throws {
        let client = try Client(name: "ended", server: PrivateServer.name)
        let input = try client.register("in", .input)
        let output = try client.register("out", .output)
        let declaration = LatencyDeclaration(of: client, inputs: [input], outputs: [output], addedFrames: 100)
        let active = try client.activate()
        try active.connect("system:capture_1", to: input.name)
        let reader = try Client(name: "reader", server: PrivateServer.name)
        func capture() -> Int { reader.port(named: output.name)?.captureLatency.maximum ?? -1 }
        declaration.change(toAddedFrames: 200)
        try await eventually("a capture latency of 264") { capture() == 264 }
        declaration.end()
        // What a worker may still ask for while the client is being closed.
        declaration.change(toAddedFrames: 300)
        try active.connect(output.name, to: "system:playback_1")
        try active.recomputeLatencies()
        try await eventually("the latency of the connection") {
            reader.port(named: input.name)?.playbackLatency.maximum == 128 + 200
        }
        #expect(capture() == 264)
        try active.close()
    }

    @Test func whatTheServerDidNotAnswerIsAskedAgain() async throws {
        let client = try Client(name: "again", server: PrivateServer.name)
        let input = try client.register("in", .input)
        let output = try client.register("out", .output)
        let declaration = LatencyDeclaration(of: client, inputs: [input], outputs: [output], addedFrames: 100)
        let active = try client.activate()
        try active.connect("system:capture_1", to: input.name)
        let reader = try Client(name: "reader", server: PrivateServer.name)
        func capture() -> Int { reader.port(named: output.name)?.captureLatency.maximum ?? -1 }
        try await eventually("a capture latency of 164") { capture() == 164 }
        // As by a server that stands still.
        let gate = Semaphore()
        _ = failure { () throws(JackError) in
            try ControlThread.shared.perform("stall", patienceSeconds: 1) { gate.wait() }
        }
        #expect(LibJack.overdueOperation == "stall")
        declaration.change(toAddedFrames: 200)
        gate.handle.post()
        try await eventually("a capture latency of 264") {
            declaration.change(toAddedFrames: 200)
            return capture() == 264
        }
        try active.close()
    }

    @Test func whereTwoWaysMeetTheRangeSpansBoth() async throws {
        let client = try Client(name: "mixer", server: PrivateServer.name)
        let near = try client.register("near", .input)
        let far = try client.register("far", .input)
        let output = try client.register("out", .output)
        _ = LatencyDeclaration(of: client, inputs: [near, far], outputs: [output, output], addedFrames: 0)
        let active = try client.activate()
        // Nothing lies before the other input.
        try active.connect("system:capture_1", to: far.name)
        try active.recomputeLatencies()
        try await eventually("a capture latency from 0 to 64 at the output") {
            active.port(named: output.name)?.captureLatency == LatencyRange(minimum: 0, maximum: 64)
        }
        try active.close()
    }
}
