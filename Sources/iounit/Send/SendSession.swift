import AudioDSP
import AudioIO
import AudioRealtime
import AudioReports
import AudioStreaming
import Jack

/// One run of an engine whose sound is sent: a stream for each codec, all of the same node.
final class SendSession: LiveSession {
    let run: EngineRun
    let options: SendOptions
    private var streams: [NodeStream] = []
    private let gain: Gain
    private let unconnected: [String]
    private let description: DescriptionFile?
    /// How it was with each target before the streams were ended; `nil` until then.
    private(set) var standing: [TargetFigures]?

    /// How long a slow target is waited for at the end.
    private static let patienceSeconds = 2.0

    /// Finds out whether all of it can be had, in the order: server, ports, codecs, the description.
    init(_ options: SendOptions, server: Server?) throws {
        self.options = options
        var configuration = options.engine
        if let server { configuration.serverName = server.name }
        let probe = try ServerProbe(options.server, on: server)
        unconnected = try Self.unconnected(configuration, on: probe.client)
        try options.check(sampleRate: probe.facts.sampleRate)

        let engine = try Engine(configuration, policy: options.reconnect)
        guard let unit = engine.unit else { throw Failure(.inputOutput, "an engine on a server has no unit") }
        run = EngineRun(engine, unit, clientName: configuration.clientName, probe: probe)
        gain = engine.attach(Gain(decibels: options.gainDecibels, channels: configuration.inputChannels))
        try engine.connect(engine.input, to: gain)
        try engine.connect(gain, to: engine.output)
        description = try options.descriptionPath.map { try DescriptionFile($0, replacing: options.replaces) }
    }

    private static func unconnected(
        _ configuration: EngineConfiguration, on client: borrowing Client
    ) throws(UnitError) -> [String] {
        let (sources, targets) = try configuration.partners(on: client)
        var notices: [String] = []
        if configuration.inputs != .none && sources.isEmpty {
            notices.append(
                "the server has no capture ports, so nothing is connected to the inputs and silence is sent; name other "
                    + "ports with --input (iounit ports lists them)")
        } else if configuration.inputs != .none, sources.count > 1, sources.count < configuration.inputChannels {
            notices.append(
                "there are \(sources.count) ports to send and \(configuration.inputChannels) inputs, so the last "
                    + "\(configuration.inputChannels - sources.count) are silent")
        }
        if configuration.outputs != .none && targets.isEmpty { notices.append(EngineRun.noPlaybackPorts) }
        return notices
    }

    func start() throws {
        // Before the first cycle, so that all have the same first frame.
        for stream in options.streams {
            streams.append(try run.engine.send(gain, to: stream.targets, stream.settings))
        }
        if let text = streams.lazy.flatMap(\.sender.sessionDescriptions).first?.text { try description?.write(text) }
        try run.start()
        for notice in unconnected { Command.complain(notice) }
        run.warn()
    }

    /// What has become of each target, in the order in which they were named.
    var figures: [TargetFigures] {
        let all = streams.flatMap(\.sender.figures)
        return options.targets.compactMap { target in all.first { $0.target == target } }
    }

    /// Frames that found no room on their way to the encoders, in the stream that lost most.
    var droppedFrames: UInt64 { streams.map(\.droppedFrames).max() ?? 0 }

    /// Whether nothing can be sent any more: each target was given up, or its name never led anywhere, or no codec works.
    var isHopeless: Bool {
        streams.allSatisfy { $0.failure != nil }
            || figures.allSatisfy { $0.state == .failed || ($0.connections == 0 && $0.failure?.kind == .unresolved) }
    }

    /// Whether any target has been reached.
    var hasReached: Bool { figures.contains { $0.connections > 0 } }

    // The end.

    /// Ends the streams before the unit leaves the graph, which would not wait for a slow target.
    func noteEnd() {
        run.noteEnd()
        guard standing == nil else { return }
        standing = figures
        for stream in streams { stream.finish(within: Self.patienceSeconds, withoutServerUntil: run.outageEnd) }
    }

    func save() {}

    func finish() {
        noteEnd()
        run.unlockMemory()
    }

    func abandon() {
        run.leaveGraph()
        description?.abandon()
        run.unlockMemory()
    }

    /// What went wrong first, in the order of the targets: of one that was reached again nothing.
    var trouble: Failure? {
        if let failure = streams.lazy.compactMap(\.failure).first { return Failure(failure) }
        let now = figures
        for (index, target) in now.enumerated() {
            guard let failure = failure(of: target, before: standing?[index]) else { continue }
            var trouble = Failure(failure)
            if failure.kind == .file, target.connections > 0 { trouble.code = .inputOutput }
            return trouble
        }
        return nil
    }

    /// - Parameter before: how it was when the streams were ended.
    private func failure(of target: TargetFigures, before: TargetFigures?) -> StreamError? {
        guard let before else { return target.state == .connected ? nil : target.failure }
        if before.state == .connected || target.connections > before.connections {
            return target.failure == before.failure ? nil : target.failure
        }
        return target.failure ?? StreamError(.network, "send to \(target.target)", "it was not reached in time")
    }

    func report() -> SendReport { SendReport(self) }
}
