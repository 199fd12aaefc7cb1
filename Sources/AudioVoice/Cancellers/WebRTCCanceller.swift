import CWebRTCAudio

/// WebRTC's module. It allocates nothing while it processes, but takes three locks for each 10 ms.
@safe final class WebRTCCanceller: VoiceCanceller {
    private let module: OpaquePointer
    private let form: VoiceForm

    init(_ form: VoiceForm, _ options: VoiceOptions) {
        precondition(VoiceForm.sampleRates.contains(form.sampleRate))
        var settings = cwebrtcaudio_settings()
        settings.sample_rate = CInt(form.sampleRate)
        settings.near_channels = CInt(form.nearChannels)
        settings.far_channels = CInt(form.farChannels)
        settings.echo_suppression = CInt(options.echo?.number ?? 0)
        settings.noise_suppression = CInt(options.noise?.number ?? 0)
        settings.controls_gain = options.controlsGain
        settings.has_high_pass = options.hasHighPass
        guard let module = unsafe cwebrtcaudio_make(&settings) else {
            preconditionFailure("the library refuses \(form), though it is one of those that it takes")
        }
        unsafe self.module = module
        self.form = form
    }

    deinit { unsafe cwebrtcaudio_free(module) }

    /// Measured by cross correlation: the library declares nothing. Above 16 kHz it splits the sound into bands and joins them; the
    /// canceller works on blocks of 64 frames, and the suppressor on overlapping ones, both at 16 kHz at the most.
    static func delayFrames(sampleRate: Int, _ options: VoiceOptions) -> Double {
        let ratio = Double(max(1, sampleRate / 16_000))
        let isActive = options.echo != nil || options.noise != nil || options.controlsGain || options.hasHighPass
        var frames = 0.0
        if options.echo != nil { frames += 112 * ratio }
        if options.noise != nil { frames += (sampleRate == 8000 ? 48 : 96) * ratio }
        if isActive && sampleRate == 32_000 { frames += 4 }
        if isActive && sampleRate == 48_000 { frames += 46 }
        return frames
    }

    func process(_ near: [Float], far: [Float], into clean: inout [Float]) {
        precondition(near.count == form.nearChannels * form.frames && clean.count == near.count)
        precondition(far.count == form.farChannels * form.frames)
        // SAFETY: the arrays are as long as the module was told.
        unsafe cwebrtcaudio_process(module, near, far, &clean)
    }

    func reset() { unsafe cwebrtcaudio_reset(module) }

    var speechProbability: Double? {
        let probability = unsafe cwebrtcaudio_speech_probability(module)
        return probability < 0 ? nil : Double(probability)
    }

    /// The library does not say.
    var gainDecibels: Double? { nil }
}
