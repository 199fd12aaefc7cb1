import AudioDSP

/// One library behind all that is common: 10 ms of both ends in, 10 ms out. Thread: one at a time. It may lock.
protocol VoiceCanceller: AnyObject {
    /// - Parameters:
    ///   - near: all channels, one behind the other.
    ///   - far: likewise.
    ///   - clean: gets as much as there is in `near`.
    func process(_ near: [Float], far: [Float], into clean: inout [Float])
    /// Forgets what was heard.
    func reset()
    /// 0…1; `nil` where the library does not say.
    var speechProbability: Double? { get }
    /// `nil` where there is none, or the library does not say.
    var gainDecibels: Double? { get }
}

/// What a canceller works on.
struct VoiceForm: Equatable, Sendable {
    /// In hertz.
    var sampleRate: Int
    var nearChannels: Int
    var farChannels: Int

    var frames: Int { sampleRate / 100 }

    /// The rates that both libraries take.
    static let sampleRates = [8000, 16_000, 32_000, 48_000]

    /// The rates that sound can be converted from: the longest step of a resampler away from the least and the greatest of these.
    static let convertedRates = Int(8000 / VariableResampler.longestStep)...Int(48_000 * VariableResampler.longestStep)

    /// The rate that sound of another one is converted to. Not 32 kHz, where WebRTC's filters do not delay all frequencies alike.
    static func sampleRate(for rate: Int) -> Int {
        if sampleRates.contains(rate) { return rate }
        return rate < 8000 ? 8000 : rate < 16_000 ? 16_000 : 48_000
    }
}

extension VoiceEngine {
    func makeCanceller(_ form: VoiceForm, _ options: VoiceOptions) -> any VoiceCanceller {
        // The node has loaded it, or there is none.
        do { try load() } catch { preconditionFailure("\(error)") }
        return switch self {
        case .webrtc: WebRTCCanceller(form, options)
        case .speex: SpeexCanceller(form, options)
        }
    }

    /// How much later the sound leaves than it came, in frames of the sample rate.
    func delayFrames(sampleRate: Int, _ options: VoiceOptions) -> Double {
        switch self {
        case .webrtc: WebRTCCanceller.delayFrames(sampleRate: sampleRate, options)
        case .speex: SpeexCanceller.delayFrames(sampleRate: sampleRate, options)
        }
    }
}
