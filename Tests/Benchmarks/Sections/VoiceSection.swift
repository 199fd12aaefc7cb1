import AudioVoice
import Foundation
import Threads
import VoiceTestSupport

extension Section {
    static let voice = Section(
        name: "voice",
        introduction: """
            Echo cancellation on the same samples: 16 s of made-up speech at the far end, heard through a room of 64 ms at -6 dB,
            10 ms late, with noise 30 dB below. Ours, as `--voice` has it; each library alone, in a C++ program with the same
            settings; and PipeWire's module echo-cancel, in a graph of its own, beside ours with the settings that it has built in: the
            canceller alone, and as it comes. echo: how much softer the microphone is, 5 to 15 s, in dB. voice: what a voice that
            speaks over the echo from 6 s on loses, 8 to 15 s, in dB. of a core: processor time, in % of the sound's; of
            PipeWire, that of its whole process. silent: how much of what came back was digital silence; PipeWire's graph runs in
            real time, and where it was late, its other figures are worth nothing.
            """
    ) { workshop in
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("iounit-voice-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let scene = EchoScene()
        var rows: [(name: String, figures: EchoFigures)] = []
        for engine in VoiceEngine.allCases {
            rows.append(("\(engine)", try scene.figures { ours(engine, VoiceOptions(), $0, $1) }))
            rows.append(
                (
                    "\(engine), the library alone",
                    try scene.figures { near, far in
                        try alone("\(engine)", near, far, workshop.twins.appendingPathComponent("voice"), folder)
                    }
                ))
        }
        for (words, name, settings) in [
            ("echo=high", "PipeWire, echo alone", PipeWireEcho.echoAlone),
            ("echo=high,noise=high,highpass", "PipeWire, as it comes", ""),
        ] {
            let options = VoiceOptions(words) ?? VoiceOptions()
            rows.append(("webrtc, \(words)", try scene.figures { ours(.webrtc, options, $0, $1) }))
            let server = try PipeWireEcho(in: folder, settings: settings)
            rows.append(
                (
                    name,
                    try scene.figures { try server.process($0, $1, workshop.twins.appendingPathComponent("twoends")) }
                )
            )
            server.end()
        }
        print(
            Table(
                ["canceller", "echo, dB", "voice, dB", "of a core, %", "silent, %"],
                rows.map { name, figures in
                    [name]
                        + [figures.reduction, figures.loss, figures.load, figures.silence].map { $0.text(2) }
                }
            ).text)
        return goals(rows.map(\.figures))
    }

    /// - Parameter figures: in the order of the table.
    private static func goals(_ figures: [EchoFigures]) -> [Goal] {
        let stereo = VoiceEngine.allCases.map { EchoScene.stereoReduction($0) }
        return [
            Goal("webrtc, echo taken away", figures[0].reduction, atLeast: 34, unit: " dB"),
            Goal(
                "webrtc, less than the library alone", figures[1].reduction - figures[0].reduction, atMost: 1,
                unit: " dB"),
            Goal("webrtc, voice lost", figures[0].loss.text(2) + " dB"),
            Goal("speex, echo taken away", figures[2].reduction, atLeast: 23, unit: " dB"),
            Goal(
                "speex, less than the library alone", figures[3].reduction - figures[2].reduction, atMost: 1,
                unit: " dB"),
            Goal("speex, voice lost", abs(figures[2].loss), atMost: 3, unit: " dB"),
            Goal("webrtc, echo of a stereo far end taken away", stereo[0].text(2) + " dB"),
            Goal("speex, echo of a stereo far end taken away", stereo[1].text(2) + " dB"),
        ]
    }

    private static func ours(
        _ engine: VoiceEngine, _ options: VoiceOptions, _ near: [Float], _ far: [Float]
    ) -> EchoScene.Clean {
        let chain = VoiceChain(engine, options, sampleRate: 48_000, nearChannels: 1, farChannels: 1)
        var clean = [[Float]](repeating: [], count: 1)
        let before = processorNanoseconds
        for start in stride(from: 0, to: near.count, by: 256) {
            let range = start..<min(start + 256, near.count)
            chain.process(near: [Array(near[range])], far: [Array(far[range])], into: &clean)
        }
        let busy = processorNanoseconds - before
        let delay = VoiceChain.delayFrames(engine, options, sampleRate: 48_000)
        return (Array(clean[0].dropFirst(delay)), Double(busy) / 1e9)
    }

    /// Of the calling thread.
    private static var processorNanoseconds: UInt64 {
        ThreadUsage(thread: ThreadUsage.callingThread)?.processorNanoseconds ?? 0
    }

    private static func alone(
        _ engine: String, _ near: [Float], _ far: [Float], _ program: URL, _ folder: URL
    ) throws -> EchoScene.Clean {
        let files = try EchoFiles(folder, near, far)
        let twin = try Peer(program, [engine] + files.paths, reading: .output)
        guard let seconds = Double(try twin.line(after: "cpu ")) else { throw Breakdown("voice gave no time") }
        _ = try twin.rest()
        return (try files.clean(), seconds)
    }
}

/// What a canceller is worth.
struct EchoFigures {
    /// In dB.
    var reduction: Double
    /// In dB.
    var loss: Double
    /// In % of a core.
    var load: Double
    /// In %, of both scenes, from 5 to 15 s.
    var silence: Double
}

/// A microphone that hears a loudspeaker, and then somebody who speaks too.
struct EchoScene {
    /// What is left, and the seconds of the processor that it took.
    typealias Clean = (samples: [Float], seconds: Double)

    private static let seconds = 16.0
    private let far = VoiceSignals.speech(seconds: EchoScene.seconds, seed: 1)
    private let voice = VoiceSignals.speech(seconds: EchoScene.seconds, seed: 2, pitch: 190).map { $0 / 2 }

    /// Of both scenes, by what takes a near and a far end and makes the near one clean.
    func figures(_ process: ([Float], [Float]) throws -> Clean) throws -> EchoFigures {
        let near = VoiceSignals.microphone(VoiceSignals.echo(of: far, delayFrames: 480))
        let both = zip(near, voice).enumerated().map { $0 < 6 * 48_000 ? $1.0 : $1.0 + $1.1 }
        let (alone, talking) = (try process(near, far), try process(both, far))
        return EchoFigures(
            reduction: VoiceSignals.reduction(near, alone.samples, seconds: 5...15),
            loss: VoiceSignals.reduction(voice, talking.samples, seconds: 8...15),
            load: (alone.seconds + talking.seconds) / 2 / Self.seconds * 100,
            silence: (Self.silence(alone.samples) + Self.silence(talking.samples)) / 2 * 100)
    }

    /// The share of samples within a millisecond or more of nothing but zeros.
    private static func silence(_ samples: [Float]) -> Double {
        let part = samples[5 * 48_000..<15 * 48_000]
        return Double(part.split { $0 != 0 }.map(\.count).filter { $0 >= 48 }.reduce(0, +)) / Double(part.count)
    }

    /// Two loudspeakers with a voice each, of which each has a way of its own to the microphone: echo taken away, in dB.
    static func stereoReduction(_ engine: VoiceEngine) -> Double {
        let (near, far) = VoiceSignals.stereoEcho(seconds: seconds)
        let chain = VoiceChain(engine, VoiceOptions(), sampleRate: 48_000, nearChannels: 1, farChannels: 2)
        var clean = [[Float]](repeating: [], count: 1)
        for start in stride(from: 0, to: near.count, by: 480) {
            let range = start..<min(start + 480, near.count)
            chain.process(near: [Array(near[range])], far: far.map { Array($0[range]) }, into: &clean)
        }
        let delay = VoiceChain.delayFrames(engine, VoiceOptions(), sampleRate: 48_000)
        return VoiceSignals.reduction(near, Array(clean[0].dropFirst(delay)), seconds: 5...15)
    }
}

/// Both ends, and what is left, as other programs read and write them: floats.
struct EchoFiles {
    /// In the order in which the twins take them.
    let paths: [String]

    init(_ folder: URL, _ near: [Float], _ far: [Float]) throws {
        paths = ["near", "far", "clean"].map { folder.appendingPathComponent($0).path }
        for (path, samples) in zip(paths, [near, far]) {
            try samples.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: path))
        }
        try? FileManager.default.removeItem(atPath: paths[2])
    }

    func clean() throws -> [Float] {
        guard let data = FileManager.default.contents(atPath: paths[2]), !data.isEmpty else {
            throw Breakdown("nothing came back")
        }
        return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
}
