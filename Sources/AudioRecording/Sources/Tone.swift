import AudioFiles
import Glibc

/// A sine that never ends.
struct Tone: Signal {
    /// −12 dBFS.
    static let peak = 0.25

    private let hertz: Double
    private let sampleRate: Double
    private var position: Double

    /// - Parameter position: the frame to begin with.
    init(hertz: Double, sampleRate: Int, position: Double = 0) {
        self.hertz = hertz
        self.sampleRate = Double(sampleRate)
        self.position = position
    }

    let channels = 1

    /// Each sample is computed from its number, so that no error adds up. The product is exact for a whole number
    /// of hertz, and so is the remainder.
    mutating func read(_ frames: Int, into target: inout [Float]) -> Int {
        for frame in 0..<frames {
            let turns = (hertz * position).truncatingRemainder(dividingBy: sampleRate) / sampleRate
            target[frame] = Float(Self.peak * sin(2 * Double.pi * turns))
            position += 1
        }
        return frames
    }

    /// - Parameter sampleRate: in hertz; `nil` where it is not known yet.
    static func check(hertz: Double, sampleRate: Int?, name: String) throws(SoundFileError) {
        guard let sampleRate else {
            guard hertz < 20 || !hertz.isFinite else { return }
            throw SoundFileError(.badInput, "play", name, "a tone has 20 hertz or more; choose another")
        }
        let highest = Double(sampleRate) / 2
        guard hertz >= 20, hertz <= highest else {
            throw SoundFileError(
                .badInput, "play", name,
                "at \(sampleRate) hertz a tone has 20 to \(sampleRate / 2) hertz; choose one of those")
        }
    }
}
