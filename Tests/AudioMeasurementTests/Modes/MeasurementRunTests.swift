import AudioFigures
import AudioIO
import AudioMeasurement
import Testing

@Suite("What a measurement can be made of") struct MeasurementRunTests {
    private let facts = ServerFacts(
        name: "none", backend: nil, sampleRate: 48_000, periodFrames: 64, sync: nil, realtime: nil)

    private func refusal(_ change: (inout MeasurementRun.Configuration) -> Void) -> String {
        var configuration = MeasurementRun.Configuration()
        configuration.hasProbe = true
        configuration.queues = [QueueConfiguration(bufferFrames: 480_000)]
        change(&configuration)
        do throws(UnitError) {
            _ = try MeasurementRun(configuration, on: facts)
            return ""
        } catch {
            return error.description
        }
    }

    @Test func `is no queue whose latency a probe would take for a shorter one`() {
        #expect(refusal { $0.queues[0].bufferCount = 4 } == "")
        #expect(
            refusal { $0.queues[0].bufferCount = 5 }
                == "the latency of 5 buffers of 480000 frames cannot be measured: with one buffer and two periods more it is "
                + "beyond 2097152 frames; use fewer or shorter buffers")
        #expect(refusal { ($0.queues[0].bufferCount, $0.hasProbe) = (5, false) } == "", "nobody measures it")
    }

    @Test func `is no queue of numbers that none has`() {
        #expect(refusal { $0.queues[0].bufferCount = .max }.contains("a number of buffers"))
        #expect(refusal { $0.queues[0].bufferFrames = .max }.contains("a buffer in frames"))
    }

    @Test(arguments: [0, -1, 8193, .max]) func `is no period that no server has, without a queue too`(frames: Int) {
        var facts = facts
        facts.periodFrames = frames
        var configuration = MeasurementRun.Configuration()
        configuration.hasProbe = true
        let error = #expect(throws: UnitError.self) { try MeasurementRun(configuration, on: facts) }
        #expect(error?.description.contains("a period in frames of \(frames) is out of range") == true)
    }
}
