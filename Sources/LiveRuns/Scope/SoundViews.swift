import AudioIO
import AudioMetering
import AudioReports
import TerminalPages

/// What the key `v` of a live view goes through: pictures of the sound. While the meters are shown, nothing of it is looked at.
package struct SoundViews {
    package enum Mode: CaseIterable {
        case meters
        case waveform
        case oscilloscope
        case bands
        case spectrum
        case spectrogram
        case equaliser
    }

    package private(set) var mode = Mode.meters
    /// Why there are no pictures.
    package private(set) var trouble: String?

    private let install: (@escaping EngineTap.Handler) throws -> EngineTap
    private var tap: EngineTap?
    private var trail = SoundTrail()
    private var analyzer: SpectrumAnalyzer?
    private var hold = PeakHold(count: 0)
    private var past: [[Double]] = []
    private var presentRow: [Double] = []
    private var nextRow = 0.0
    private var timeBase = 4
    private var isHeard = true

    /// A block of 8192 frames, which is 171 ms at 48 kHz.
    private static let spectrumFrames = 8192
    /// Of a spectrogram.
    private static let secondsPerRow = 0.1
    /// What an oscilloscope shows, in seconds.
    private static let timeBases = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1]

    private let modes: [Mode]
    private let equaliser: Equaliser?

    /// - Parameters:
    ///   - node: whose sound is looked at.
    ///   - hasEqualiser: whether the run may have one, and so a picture of it.
    ///   - equaliser: the one it has.
    package init(_ engine: Engine, _ node: some Node, hasEqualiser: Bool = false, _ equaliser: Equaliser? = nil) {
        modes = Mode.allCases.filter { hasEqualiser || $0 != .equaliser }
        self.equaliser = equaliser
        install = { handler in try engine.watch(node, frames: 512, handler: handler) }
    }

    /// Acts on a key, if it is one of these: `v` and `V` go on and back, the arrows left and right change an oscilloscope's time.
    package mutating func press(_ key: Key) {
        switch key {
        case "v": turn(1)
        case "V": turn(-1)
        case .left where mode == .oscilloscope: timeBase = max(0, timeBase - 1)
        case .right where mode == .oscilloscope: timeBase = min(Self.timeBases.count - 1, timeBase + 1)
        default: break
        }
    }

    private mutating func turn(_ step: Int) {
        let place = (modes.firstIndex(of: mode) ?? 0) + step
        mode = modes[(place + modes.count) % modes.count]
        if mode == .meters { end() } else { begin() }
    }

    private mutating func begin() {
        guard tap == nil else { return }
        let trail = SoundTrail()
        self.trail = trail
        (past, presentRow) = ([], [])
        do {
            tap = try install { buffer, time in
                trail.add(
                    (0..<buffer.channels).map { buffer[$0] }, lostFrames: time.lostFrames, sampleRate: time.sampleRate)
            }
            trouble = nil
        } catch {
            mode = .meters
            trouble = shown("there are no pictures: \(error)")
        }
    }

    private mutating func end() {
        tap?.remove()
        tap = nil
    }

    /// The picture of the present mode, as many rows high, or fewer.
    ///
    /// - Parameters:
    ///   - time: of the run, in seconds.
    ///   - isHeard: whether sound comes. Where none does, the last is of the past: of this moment there is silence.
    package mutating func lines(_ page: Page, rows: Int, atSeconds time: Double, isHeard: Bool) -> [String] {
        self.isHeard = isHeard
        let picture = SoundPicture(page: page, rows: rows)
        switch mode {
        case .meters: return []
        case .waveform: return picture.waveform(trail.columns(picture.waveColumns))
        case .oscilloscope:
            let seconds = Self.timeBases[timeBase]
            let rate = trail.recent(0).sampleRate
            let recent = recent(2 * Int(seconds * Double(rate)) + 2 + rate / 20)
            return picture.oscilloscope(recent.samples, sampleRate: rate, seconds: seconds)
        case .bands:
            let lines = look()
            let (perOctave, bands) = picture.bands
            if hold.levels.count != bands.centers.count { hold = PeakHold(count: bands.centers.count) }
            hold.update(lines.levels(of: bands), atSeconds: time)
            return picture.bars(hold, perOctave: perOctave, bands, lines.highestPeak())
        case .spectrum:
            let lines = look()
            return picture.spectrum(lines, lines.highestPeak())
        case .spectrogram: return spectrogram(picture, atSeconds: time)
        case .equaliser:
            let curve = equaliser?.response(atHertz: picture.curveFrequencies)
            return picture.equaliser(curve, equaliser?.bands.map { BandReport($0).words } ?? [], look())
        }
    }

    /// Each row has the highest level of its tenth of a second.
    private mutating func spectrogram(_ picture: SoundPicture, atSeconds time: Double) -> [String] {
        let lines = look()
        let levels = lines.highest(between: picture.spectrogramEdges)
        if presentRow.count != levels.count { (presentRow, past) = (levels, []) }
        presentRow = zip(presentRow, levels).map { max($0, $1) }
        if time >= nextRow {
            nextRow = time + Self.secondsPerRow
            past.insert(presentRow, at: 0)
            presentRow = levels
            if past.count > picture.pastRows { past.removeLast(past.count - picture.pastRows) }
        }
        return picture.spectrogram(past, secondsPerRow: Self.secondsPerRow, lines.highestPeak())
    }

    private func recent(_ frames: Int) -> (samples: [Float], sampleRate: Int) {
        let recent = trail.recent(frames)
        return isHeard ? recent : (Array(repeating: 0, count: recent.samples.count), recent.sampleRate)
    }

    private mutating func look() -> SpectrumLines {
        let analyzer = analyzer ?? SpectrumAnalyzer(frames: Self.spectrumFrames)
        self.analyzer = analyzer
        let recent = recent(analyzer.frames)
        return analyzer.lines(of: recent.samples, sampleRate: recent.sampleRate)
    }
}

extension Page {
    /// A page of a picture: what it does, and what is wrong, come first; the picture has eight rows at the least, where there are.
    ///
    /// - Parameter picture: gives a picture of as many rows as it is asked for, or fewer.
    package func lines(
        title: [String], state: [String], trouble: [String], keys: [String], picture: (Int) -> [String]
    ) -> [String] {
        var room = PageRoom(max(1, rows) - state.count - trouble.count)
        let least = max(0, min(8, room.lines))
        room.reserve(least)
        let keys = room.take(keys)
        let title = room.take(title)
        let rows = least + max(0, room.lines)
        return Array(
            (title + (rows >= 2 ? picture(rows) : []) + state + trouble + keys).prefix(max(1, self.rows)))
    }
}
