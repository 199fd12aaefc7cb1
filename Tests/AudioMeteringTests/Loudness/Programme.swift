import Foundation

@testable import AudioMetering

/// A sound that is made and measured piece by piece: tones of 1 kHz at 48 kHz, one after the other.
struct Programme {
    let analyzer: LoudnessAnalyzer
    private var position = 0

    static let sampleRate = 48000
    static let silence = -Double.infinity

    init(channels: Int = 2) throws {
        analyzer = try LoudnessAnalyzer(sampleRate: Self.sampleRate, channels: channels)
    }

    var reading: LoudnessReading { analyzer.reading }

    /// The same tone on each channel. The EBU's levels are those of the sine's peak, in dBFS.
    mutating func play(_ decibels: Double, seconds: Double) {
        play([Double](repeating: decibels, count: analyzer.channels), seconds: seconds)
    }

    /// A tone of its own level on each channel.
    mutating func play(_ decibels: [Double], seconds: Double) { Self.play(decibels, seconds: seconds, to: analyzer) }

    static func play(_ decibels: [Double], seconds: Double, to analyzer: some SoundAnalyzer) {
        let gains = decibels.map { pow(10, $0 / 20) }
        // As it repeats each millisecond, it need be made only once.
        let period = (0..<48).flatMap { (frame: Int) -> [Float] in
            let sine = sin(2 * Double.pi * Double(frame) / 48)
            return gains.map { Float($0 * sine) }
        }
        let block = [[Float]](repeating: period, count: 100).flatMap(\.self)
        var left = Int((seconds * Double(sampleRate)).rounded())
        while left > 0 {
            let count = min(left, 4800)
            analyzer.add(count, of: block)
            left -= count
        }
    }
}
