import AudioDSP
import AudioIO
import Glibc
import Jack
import TestSupport
import Testing

extension OnServer {
    /// Behind the shape `asymmetric` stands a blocker of DC with its corner at 10 Hz: of a constant that begins, 1/e is
    /// left after 1/(2π · 10 Hz), which is another number of frames at each rate.
    @Suite("The sample rate") struct SampleRateTests {
        static let rates = [44_100, 192_000]

        private func configuration(_ sampleRate: Int) -> ServerConfiguration {
            var configuration = ServerConfiguration(sync: 256)
            configuration.sampleRate = sampleRate
            return configuration
        }

        /// What is left after that time.
        private func rest(of heard: ArraySlice<Float>, sampleRate: Int) throws -> Double {
            let start = try #require(heard.firstIndex { $0 != 0 }, "the constant was heard")
            let later = start + Int((Double(sampleRate) / (2 * .pi * 10)).rounded())
            try #require(later < heard.endIndex)
            return Double(heard[later]) / Double(heard[start])
        }

        @Test(arguments: rates)
        func `of the server decides what a unit's filters do`(_ sampleRate: Int) throws {
            let server = try Server(configuration(sampleRate))
            defer { server.stop() }
            let passage = try Passage(
                on: server, [[0.5]], length: sampleRate, UnitConfiguration(between: server, shape: .asymmetric))
            try passage.sink.withClient { try $0.setFreewheel(true) }
            try passage.run()
            #expect(abs(try rest(of: passage.sink.signal()[...], sampleRate: sampleRate) - exp(-1)) <= 0.005)
            passage.unit.stop()
        }

        @Test(arguments: rates)
        func `of the server decides what a queue's filters do`(_ sampleRate: Int) throws {
            let server = try Server(configuration(sampleRate))
            defer { server.stop() }
            var queue = QueueUnderTest(between: server, frames: 512)
            queue.unit.shape = .asymmetric
            queue.unit.isBypassed = false
            let passage = try QueuePassage(on: server, [[0.5]], length: sampleRate, queue)
            try passage.freewheel()
            try passage.run()
            #expect(abs(try rest(of: passage.sink.signal()[...], sampleRate: sampleRate) - exp(-1)) <= 0.005)
            passage.unit.stop()
        }
    }
}
