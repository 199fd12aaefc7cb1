import AudioDSP
import CSpeexDSP

/// SpeexDSP's canceller, and its preprocessor behind it, for each channel of the near end. Neither allocates or locks while it
/// processes.
@safe final class SpeexCanceller: VoiceCanceller {
    /// How long the echo of a room may last.
    private static let tailMilliseconds = 128

    private let form: VoiceForm
    private let options: VoiceOptions
    /// Of each channel of the near end; none where no echo is cancelled.
    private var echoes: [OpaquePointer] = unsafe []
    /// Of each channel; none where there is nothing for them to do.
    private var preprocessors: [OpaquePointer] = unsafe []
    private var near: [Int16]
    private var far: [Int16]
    private var clean: [Int16]
    private var highPasses: [BiquadMemory]

    init(_ form: VoiceForm, _ options: VoiceOptions) {
        self.form = form
        self.options = options
        near = [Int16](repeating: 0, count: form.frames)
        clean = near
        far = [Int16](repeating: 0, count: form.frames * form.farChannels)
        // What lies below the voice, for a library that does not take it away itself.
        let highPass = EqualiserBand(.highPass, hertz: 80, q: 0.5.squareRoot()).biquad(sampleRate: form.sampleRate)
        highPasses = Array(repeating: BiquadMemory(highPass), count: form.nearChannels)
        for _ in 0..<form.nearChannels {
            if options.echo != nil { unsafe echoes.append(Self.makeEcho(form)) }
            if Self.preprocesses(options) {
                unsafe preprocessors.append(Self.makePreprocessor(form, options, echoes.last))
            }
        }
    }

    deinit {
        // SAFETY: made above, and nobody else frees them.
        for index in unsafe preprocessors.indices { unsafe speex_preprocess_state_destroy(preprocessors[index]) }
        for index in unsafe echoes.indices { unsafe speex_echo_state_destroy(echoes[index]) }
    }

    private static func makeEcho(_ form: VoiceForm) -> OpaquePointer {
        let tail = form.sampleRate * tailMilliseconds / 1000
        guard
            let echo = unsafe speex_echo_state_init_mc(CInt(form.frames), CInt(tail), 1, CInt(form.farChannels))
        else { preconditionFailure("there is no memory for an echo canceller") }
        var rate = Int32(form.sampleRate)
        unsafe speex_echo_ctl(echo, SPEEX_ECHO_SET_SAMPLING_RATE, &rate)
        return unsafe echo
    }

    private static func makePreprocessor(
        _ form: VoiceForm, _ options: VoiceOptions, _ echo: OpaquePointer?
    ) -> OpaquePointer {
        guard let state = unsafe speex_preprocess_state_init(CInt(form.frames), CInt(form.sampleRate)) else {
            preconditionFailure("there is no memory for a preprocessor")
        }
        func set(_ request: CInt, _ value: Int32) {
            var value = value
            unsafe speex_preprocess_ctl(state, request, &value)
        }
        // The suppressor of noise suppresses the rest of the echo too. It need not touch noise for that.
        set(SPEEX_PREPROCESS_SET_DENOISE, options.echo != nil || options.noise != nil ? 1 : 0)
        let noise: Int32 =
            switch options.noise {
            case nil: 0
            case .low: -10
            case .moderate: -15
            case .high: -25
            }
        set(SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, noise)
        set(SPEEX_PREPROCESS_SET_AGC, options.controlsGain ? 1 : 0)
        if let echo = unsafe echo, let strength = options.echo {
            let residual: (alone: Int32, talking: Int32) =
                switch strength {
                case .low: (-25, -10)
                case .moderate: (-40, -15)
                case .high: (-55, -25)
                }
            set(SPEEX_PREPROCESS_SET_ECHO_SUPPRESS, residual.alone)
            set(SPEEX_PREPROCESS_SET_ECHO_SUPPRESS_ACTIVE, residual.talking)
            unsafe speex_preprocess_ctl(state, SPEEX_PREPROCESS_SET_ECHO_STATE, UnsafeMutableRawPointer(echo))
        }
        return unsafe state
    }

    private static func preprocesses(_ options: VoiceOptions) -> Bool {
        options.echo != nil || options.noise != nil || options.controlsGain
    }

    /// The preprocessor overlaps its blocks by half.
    static func delayFrames(sampleRate: Int, _ options: VoiceOptions) -> Double {
        preprocesses(options) ? Double(sampleRate / 100) : 0
    }

    func process(_ near: [Float], far: [Float], into clean: inout [Float]) {
        precondition(near.count == form.nearChannels * form.frames && clean.count == near.count)
        precondition(far.count == form.farChannels * form.frames)
        // Of many channels the library wants frame by frame.
        for channel in 0..<form.farChannels {
            for frame in 0..<form.frames {
                self.far[frame * form.farChannels + channel] = Self.integer(far[channel * form.frames + frame])
            }
        }
        for channel in 0..<form.nearChannels { process(channel, near, &clean) }
    }

    private func process(_ channel: Int, _ near: [Float], _ clean: inout [Float]) {
        let start = channel * form.frames
        for frame in 0..<form.frames {
            let sample = near[start + frame]
            self.near[frame] = Self.integer(
                options.hasHighPass ? Float(highPasses[channel].process(Double(sample))) : sample)
        }
        // SAFETY: here and below, the arrays hold the frames that the states were made for.
        if unsafe channel < echoes.count {
            unsafe speex_echo_cancellation(echoes[channel], self.near, far, &self.clean)
        } else {
            self.clean = self.near
        }
        if unsafe channel < preprocessors.count { unsafe speex_preprocess_run(preprocessors[channel], &self.clean) }
        for frame in 0..<form.frames { clean[start + frame] = Float(self.clean[frame]) / 32_768 }
    }

    private static func integer(_ sample: Float) -> Int16 {
        Int16(max(-32_768, min((sample * 32_768).rounded(), 32_767)))
    }

    func reset() {
        for index in unsafe echoes.indices { unsafe speex_echo_state_reset(echoes[index]) }
        for index in highPasses.indices { highPasses[index].clear() }
    }

    var speechProbability: Double? {
        unsafe ask(SPEEX_PREPROCESS_GET_PROB, preprocessors.first).map { Double($0) / 100 }
    }

    var gainDecibels: Double? {
        guard options.controlsGain else { return nil }
        return unsafe ask(SPEEX_PREPROCESS_GET_AGC_GAIN, preprocessors.first).map(Double.init)
    }

    private func ask(_ request: CInt, _ state: OpaquePointer?) -> Int32? {
        guard let state = unsafe state else { return nil }
        var value: Int32 = 0
        unsafe speex_preprocess_ctl(state, request, &value)
        return value
    }
}
