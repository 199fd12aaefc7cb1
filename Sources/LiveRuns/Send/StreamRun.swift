import AudioIO
import AudioStreaming
import CommandSyntax
import Glibc
import Synchronization
import Threads

/// What a run of an engine sends: a stream for each codec, all of the same node.
package final class StreamRun {
    let options: StreamOptions
    private var streams: [NodeStream] = []
    private let description: OutputFile?
    /// Of a description that replaces no other one: removed where nothing is sent.
    private let newDescriptionPath: String?
    /// Until then a file of that name is another program's.
    private var isDescribed = false
    /// How it was with each target before the streams were ended; `nil` until then.
    private(set) var standing: [TargetFigures]?
    private let isFinished = Atomic(false)

    /// How long a slow target is waited for at the end.
    private static let patienceSeconds = 2.0

    /// Reads tokens, finds out whether all of it can be sent, and makes the file of the description.
    ///
    /// - Parameters:
    ///   - sampleRate: of the server.
    ///   - channels: of what is sent.
    package init(_ options: StreamOptions, sampleRate: Int, channels: Int) throws {
        self.options = try options.unlocked()
        try options.check(sampleRate: sampleRate, channels: channels)
        newDescriptionPath = options.descriptionPath.flatMap { unsafe access($0, F_OK) == 0 ? nil : $0 }
        description = try options.descriptionPath.map { path throws(FileError) in
            try OutputFile(path, replacing: options.replaces)
        }
    }

    /// Begins to send what a node renders; all have the same first frame.
    package func start(_ node: some Node, on engine: Engine) throws {
        streams = try engine.openStreams(node, options.streams.map { ($0.targets, $0.settings) })
    }

    /// Gives the file of the description its name. To be called when all else has begun: an older file of that name is kept
    /// until then.
    ///
    /// - Throws: `cannotWrite`.
    package func publish() throws(FileError) {
        guard let text = streams.lazy.flatMap(\.sender.sessionDescriptions).first?.text else { return }
        guard let description else { return }
        try description.finish(with: text)
        isDescribed = true
    }

    /// What has become of each target, in the order in which they were named.
    package var figures: [TargetFigures] {
        let all = streams.flatMap(\.sender.figures)
        return options.targets.compactMap { target in all.first { $0.target == target } }
    }

    /// Frames that found no room on their way to the encoders, in the stream that lost most.
    package var droppedFrames: UInt64 { streams.map(\.droppedFrames).max() ?? 0 }

    /// Whether nothing can be sent any more: each target was given up, or its name never led anywhere, or no codec works.
    package var isHopeless: Bool {
        streams.allSatisfy { $0.failure != nil }
            || figures.allSatisfy { $0.state == .failed || (!$0.isFound && $0.failure?.kind == .unresolved) }
    }

    package var hasReached: Bool { figures.contains { $0.connections > 0 } }

    // The end.

    /// Notes how it is with each target, once.
    func noteEnd() { if standing == nil { standing = figures } }

    /// Ends the streams, and waits for slow targets. Calling it again does nothing. Thread: any.
    ///
    /// - Parameter end: see `NodeStream`.
    package func finish(withoutServerUntil end: UInt64?) {
        guard !isFinished.exchange(true, ordering: .relaxed) else { return }
        noteEnd()
        for stream in streams { stream.finish(within: Self.patienceSeconds, withoutServerUntil: end) }
    }

    /// Nothing was heard: nothing is left behind.
    package func abandon() {
        description?.discard()
        if isDescribed, let newDescriptionPath { unsafe unlink(newDescriptionPath) }
        if !isFinished.exchange(true, ordering: .relaxed) { for stream in streams { stream.finish(within: 0) } }
    }

    /// What went wrong first, in the order of the targets: of one that was reached again nothing.
    package var trouble: Failure? {
        if let error = streams.lazy.compactMap(\.failure).first { return error.failure }
        for (index, target) in figures.enumerated() {
            guard let error = failure(of: target, before: standing?[index]) else { continue }
            var trouble = error.failure
            if error.kind == .file, target.connections > 0 { trouble.code = .inputOutput }
            return trouble
        }
        return nil
    }

    /// - Parameter before: how it was when the streams were ended.
    private func failure(of target: TargetFigures, before: TargetFigures?) -> StreamError? {
        guard let before else { return target.state == .connected ? nil : target.failure }
        if before.state == .connected || target.connections > before.connections {
            return target.closeFailure ?? (target.failure == before.failure ? nil : target.failure)
        }
        return target.failure ?? StreamError(.network, "send to \(target.target)", "it was not reached in time")
    }
}
