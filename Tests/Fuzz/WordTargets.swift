import AudioDSP
import AudioIO
import AudioReports
import AudioVoice
import Foundation

@testable import AudioMeasurement
@testable import AudioRecording
@testable import CommandSyntax
@testable import FileCommands
@testable import Jack
@testable import LiveCommands
@testable import LiveRuns
@testable import MeasuringCommands
@testable import iounit

extension Target {
    /// The words behind a subcommand, one a line.
    static let options = Target(name: "options") { bytes in
        let words = text(bytes).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let rest = Array(words.dropFirst())
        do {
            switch words.first {
            case "monitor":
                let options = try MonitorOptions(rest)
                let (channels, shaper) = (options.channels, options.shaper)
                require(UnitConfiguration.channelRange.contains(channels), "\(channels) channels")
                require(Decibels.range.contains(shaper.gainDecibels), "a gain of \(shaper.gainDecibels)")
                require(Decibels.range.contains(shaper.driveDecibels), "a drive of \(shaper.driveDecibels)")
                require(options.seconds.map { $0 > 0 && $0.isFinite } ?? true, "\(options.seconds ?? 0) s")
                options.unit.parts[StreamOptions.self].map(requireTargets)
                if let voice = options.unit.parts[VoiceChoice.self]?.options {
                    require(VoiceOptions(voice.words) == (voice.words.isEmpty ? nil : voice), "voice: \(voice.words)")
                }
            case "serve":
                let page = try MonitorOptions(rest, servesPage: true).unit.parts[PageOptions.self]
                require(
                    page.map { (0...65535).contains($0.configuration.address.port) } ?? false, "no page, or no port")
            case "jitter": require(try JitterOptions(rest).common.seconds.isFinite, "seconds")
            case "compare": require(try CompareOptions(rest).common.seconds.isFinite, "seconds")
            case "latency": require(try LatencyOptions(rest).seconds.isFinite, "seconds")
            case "diff": require(try DiffOptions(rest).paths.count >= 2, "nothing to compare")
            case "history": require(try !HistoryOptions(rest).figures.isEmpty, "no figure")
            case "record":
                let options = try RecordOptions(rest)
                require(!options.targets.isEmpty, "nothing to record to")
                options.unit.parts[StreamOptions.self].map(requireTargets)
                require(
                    options.settings.prerollSeconds.isFinite && options.settings.prerollSeconds >= 0, "the pre-roll")
                for target in options.targets where !target.name.isStandardOutput {
                    let name = target.name
                    let first = name.path(1, startingAt: 0, channel: 1, addingNumber: false)
                    let second = name.path(2, startingAt: 0, channel: 1, addingNumber: true)
                    require(first != second, "two files of one name: \(first)")
                }
            case "send":
                requireTargets(try SendOptions(rest).stream)
            case "receive":
                let options = try ReceiveOptions(rest)
                require(!options.word.isEmpty, "nowhere to receive from")
                require(options.settings.bufferMilliseconds.map { (0...5000).contains($0) } ?? true, "the buffer")
            case "beat":
                let listen = try ListenOptions(Arguments(rest, BeatListener.syntax), BeatListener.syntax)
                require(listen.path == nil || listen.unit.engine.inputChannels == 1, "channels of a file")
            case "picture":
                let options = try PictureOptions(rest)
                require(options.hasWaveform || options.hasSpectrogram, "nothing to draw")
            case "tune":
                let options = try TuneOptions(rest)
                require((380...500).contains(options.reference), "the A above middle C")
            case "play": require(try !PlayOptions(rest).paths.isEmpty, "nothing to play")
            case "convert": require(try !ConvertOptions(rest).jobs.isEmpty, "nothing to convert")
            case "info": require(try !InfoOptions(rest).paths.isEmpty, "no file")
            case "ports": _ = try PortsCommand(rest)
            case "preset": _ = try PresetOptions(rest)
            default: return
            }
        } catch {
            requireSentence(error, about: bytes)
        }
    }

    /// The user's settings. What a preset is written as is read as the same.
    static let settings = Target(name: "settings") { bytes in
        let syntaxes = Command.subcommands.map(\.syntax)
        do {
            let file = try SettingsFile(text(bytes), path: "config", syntaxes: syntaxes)
            for preset in file.presets {
                let lines = preset.lines(syntaxes).joined(separator: "\n")
                let again = try SettingsFile(lines, path: "config", syntaxes: syntaxes).preset(preset.name)
                require(again?.settings.map(\.value) == preset.settings.map(\.value), "other values: \(lines)")
                require(again?.operands == preset.operands, "other arguments: \(lines)")
                requireHarmless(shown(preset.commandLine(syntaxes)), "a command line")
                let rest = PresetCommand.without(preset, text(bytes))
                require(
                    try SettingsFile(rest, path: "config", syntaxes: syntaxes).presets.count + 1 == file.presets.count,
                    "another preset went, too")
            }
            for syntax in syntaxes {
                _ = try? Settings([], syntax) { file }
            }
        } catch {
            requireSentence(error, about: bytes)
        }
    }

    /// There is a target at least, and each is in one stream.
    private static func requireTargets(_ stream: StreamOptions) {
        require(!stream.targets.isEmpty, "nowhere to send to")
        require(
            stream.streams.flatMap(\.targets).count == stream.targets.count, "a target is in no stream, or in two")
        for target in stream.targets { require(stream.codec(of: target) != nil, "a target has no codec") }
    }

    /// What `--source` names.
    static let sources = Target(name: "sources") { bytes in
        do {
            let kind = try SourceKind(word: text(bytes))
            require(try SourceKind(word: kind.name) == kind, "\(kind) is read again as another: \(kind.name)")
            if case .file = kind { return }
            let source = try Source(kind, sampleRate: 48000, channels: 2)
            var block = [Float](repeating: .nan, count: 256)
            var signal = try source.open(sampleRate: 48000, channels: source.channels)
            let count = try signal.read(256, into: &block)
            require(count == 256 && block.allSatisfy { abs($0) <= 0.2501 }, "it is too loud")
        } catch {
            requireSentence(error, about: bytes)
        }
    }

    /// What `--limit` and `--expect` take.
    static let limits = Target(name: "limits") { bytes in
        let word = text(bytes)
        if let expectation = LatencyExpectation(word) {
            let numbers = [expectation.frames, expectation.toleranceFrames]
            require(numbers.allSatisfy { $0.isFinite && $0 >= 0 }, "\(numbers)")
        }
        for subject in [Limit.Subject.mode, .latency] {
            if let tolerance = try? Tolerance(word, of: subject) {
                require((try? Tolerance(tolerance.text, of: subject)) == tolerance, "\(word) is read again as another")
            }
            do {
                let limit = try Limit(word, of: subject)
                require(try Limit(limit.text, of: subject) == limit, "\(limit) is read again as another")
                let result = limit.result(of: 1, in: "callback", sampleRate: 48000)
                require(result.measured.value?.isFinite == true, "\(result)")
            } catch {
                requireHarmless(shown("\(error)"), "an error")
            }
        }
    }

    /// A name from another client, wherever one is shown.
    static let names = Target(name: "names") { bytes in
        let name = text(bytes)
        requireHarmless(shown(name), "a name")
        require(shown(shown(name)) == shown(name), "shown twice it is another")
        requireWellFormed("<p title=\"\(escaped(name))\">\(escaped(name))</p>", "markup")
        let range = LatencyRange(minimum: 0, maximum: 64)
        let port = PortInfo(
            name: name, aliases: [name], direction: .input, type: name, isPhysical: true, isTerminal: false,
            connections: [name, name], captureLatency: range, playbackLatency: range)
        requireHarmless(PortsCommand.table([port, port]), lines: true, "a table")
        guard let json = try? encodeJSON([name]) else { fatalError("no JSON") }
        requireHarmless(json, "JSON")
        require(decodeJSON(json) == [name], "JSON is read again as another: \(json)")
        let mode = CycleFile.Mode(kind: .callback, name: name, sampleRate: 48000, periodFrames: 64)
        require(mode.name.isEmpty || CycleFile.Mode(line: mode.line[...]) == mode, "a mode is read as another: \(mode)")
        requireSentence(JackError(.notFound, "find \(name)", name), about: bytes)
    }

    /// What a server says before it answers, or instead.
    static let serverLog = Target(name: "serverlog") { bytes in
        var lines: [String] = []
        InputFile.with(bytes) { file in ServerProcess.readLines(from: file.descriptor) { lines.append($0) } }
        require(lines.joined(separator: "\n").utf8.count <= 3 * bytes.count, "more than was said")
        require(!lines.contains { $0.utf8.contains(UInt8(ascii: "\n")) }, "a line has two")
        requireSentence(JackError(.serverFailed, "start", lines.suffix(4).joined(separator: " / ")), about: bytes)
    }
}
