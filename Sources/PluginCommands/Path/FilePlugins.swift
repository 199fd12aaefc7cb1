import AudioFiles
import AudioIO
import AudioPlugins
import CommandSyntax

/// Plug-ins that a file is put through: in an engine without a server.
final class FilePlugins: FileEffect {
    private let engine: Engine
    private let chain: PluginChain
    private var wrong: UnitError?

    /// - Throws: as `PluginPath.make` and `Engine.start`; `PluginError` where one of them does not run.
    init(_ path: PluginPath, _ format: StreamFormat) throws {
        chain = try path.make(channels: format.channels, sampleRate: format.sampleRate)
        engine = try Engine(offline: format.sampleRate, inputs: format.channels, outputs: format.channels)
        try engine.connect(try chain.connect(behind: engine.input, in: engine), to: engine.output)
        try engine.start()
        if let failure = chain.failure { throw failure }
    }

    deinit { engine.close() }

    var latencyFrames: Int { chain.latencyFrames }

    func process(_ planes: [[Float]], frames: Int) -> [[Float]] {
        do throws(UnitError) {
            return try engine.render(frames, input: planes)
        } catch {
            wrong = error
            return planes
        }
    }

    var nonFiniteSamples: Int { Int(clamping: chain.nonFiniteSamples) }
    var warnings: [String] { chain.look(.none) + chain.takeNotices() }
    var report: (any Sendable)? { chain.reports }
    var failure: FileEffectError? { (chain.failure?.description ?? wrong?.description).map { FileEffectError($0) } }
}

extension PluginPath {
    /// What files are put through; `nil` where no plug-in is named. What that returns looks for them first, so that a name that
    /// nobody has is said before a file is begun.
    package static func fileEffect(
        _ arguments: Arguments
    ) throws(Failure) -> (@Sendable () throws -> FileEffectMaker)? {
        let path = try PluginPath(arguments)
        guard !path.choices.isEmpty else { return nil }
        return {
            let list = try PluginList.installed()
            for choice in path.choices { _ = try list.info(choice.name) }
            return { format throws(FileEffectError) in
                do {
                    return try FilePlugins(path, format)
                } catch {
                    let failure = Failure.from(error)
                    throw FileEffectError(failure.message, isUsage: failure.code == .usage)
                }
            }
        }
    }
}
