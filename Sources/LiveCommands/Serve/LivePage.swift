import AudioDSP
import AudioFigures
import AudioIO
import AudioMetering
import AudioRecording
import AudioReports
import AudioStreaming
import Synchronization
import TerminalPages

/// A page beside a run of `monitor`: its server, what is looked at for it, and what it asks for.
final class LivePage {
    let server: PageServer
    private let options: ServeOptions
    private let wishes: Wishes
    private let output: SoundScope
    private let input: SoundScope
    private let analyzer = SpectrumAnalyzer(frames: SoundScope.spectrumFrames)
    var losses = LossHistory()
    private var served: ServedNode?
    /// Of a token that was made and is not to be printed.
    private let tokenFile: TokenFile?
    private var nextStatus = 0.0

    /// What listeners with the token have asked for, until the loop takes it.
    private final class Wishes: Sendable {
        let all = Mutex<[PageControl]>([])
        /// What can be set, by name.
        let known = Mutex<[String: ParameterInfo]>([:])
        /// A page that asks for more in a moment moves a control: its last place counts.
        static let limit = 256
    }

    /// Between two scenes.
    static let paceSeconds = 0.04

    init(_ options: ServeOptions, channels: Int) throws {
        self.options = options
        let wishes = Wishes()
        self.wishes = wishes
        server = try PageServer(options.completeConfiguration()) { wish throws(StreamError) in
            try wish.check(wishes.known.withLock { $0 })
            wishes.all.withLock { all in
                all.append(wish)
                if all.count > Wishes.limit { all.removeFirst() }
            }
        }
        let isMade = options.tokenSource == nil && server.configuration.token != nil
        tokenFile = isMade && !StandardError.isTerminal ? try server.configuration.token.map(TokenFile.init) : nil
        output = SoundScope(channels: channels)
        input = SoundScope(channels: channels)
    }

    /// Begins to look and to be heard.
    ///
    /// - Parameters:
    ///   - fed: what feeds the unit.
    ///   - controls: what can be set from the page.
    func start(_ engine: Engine, fed: some Node, _ controls: ControlTable) throws {
        wishes.known.withLock { known in
            known = Dictionary(uniqueKeysWithValues: controls.all.map { ($0.name, $0.info) })
        }
        let frames = SoundScope.columnFrames(engine.sampleRate)
        let (output, input) = (output, input)
        try engine.tap(engine.output, frames: frames) { buffer, time in
            output.add((0..<buffer.channels).map { buffer[$0] }, sampleRate: time.sampleRate)
        }
        try engine.tap(fed, frames: frames) { buffer, time in
            input.add((0..<buffer.channels).map { buffer[$0] }, sampleRate: time.sampleRate)
        }
        served = try engine.serve(engine.output, on: server)
    }

    /// Where it is, with the token for who sits at the terminal. Elsewhere a journal keeps what is printed, and more people
    /// read it: there it says where the token is.
    var place: String {
        guard let token = server.configuration.token else { return server.url }
        if StandardError.isTerminal { return "\(server.url)#token=\(token.revealed)" }
        let source = tokenFile.map { shown($0.path) } ?? options.tokenSource?.place
        return server.url + (source.map { ", with the token in \($0)" } ?? "")
    }

    /// What was asked for since the last call.
    func takeWishes() -> [PageControl] {
        wishes.all.withLock { all in
            defer { all = [] }
            return all
        }
    }

    /// Whether it is time to answer with newer figures: once a second.
    func wantsStatus(_ elapsed: Double) -> Bool {
        guard elapsed >= nextStatus else { return false }
        nextStatus = elapsed + 1
        return true
    }

    /// What has changed of the sound since the last call. Clips are the unit's to count.
    struct Look {
        var inputs: [LiveScene.Channel]
        var outputs: [LiveScene.Channel]
        var wave: [SoundScope.Column]
        var scope: SoundScope.Trace
        var spectrum: LiveScene.Spectrum
    }

    func look(clipped: [UInt64]) -> Look {
        let (peaks, columns) = output.take()
        let recent = output.recent()
        let range = SoundScope.hertz
        func channels(_ peaks: [Float], _ clipped: [UInt64]) -> [LiveScene.Channel] {
            zip(peaks, clipped).map { peak, count in
                let level = Decibels.decibels(Double(peak))
                return LiveScene.Channel(peak: Nullable(peak > 0 ? tidy(level) : nil), clipped: count)
            }
        }
        let inputPeaks = input.take().peaks
        let levels = analyzer.lines(of: recent.samples, sampleRate: recent.sampleRate)
            .highest(between: SoundScope.edges)
        return Look(
            inputs: channels(inputPeaks, Array(repeating: 0, count: inputPeaks.count)),
            outputs: channels(peaks, clipped), wave: columns,
            scope: SoundScope.Trace(recent.samples, sampleRate: recent.sampleRate),
            spectrum: LiveScene.Spectrum(
                low: range.low, high: range.high, bands: levels.map { Int($0.rounded()) }))
    }

    /// Frames that found no room on their way to the encoders.
    var droppedFrames: UInt64 { served?.droppedFrames ?? 0 }

    /// Ends it: what waits goes out to listeners that take it in time.
    func finish() {
        server.stop(within: 1)
        tokenFile?.remove()
    }
}

/// To a tenth, as nobody reads more.
func tidy(_ value: Double) -> Double { value.isFinite ? (value * 10).rounded() / 10 : 0 }
