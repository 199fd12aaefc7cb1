import AudioDSP

/// Both ends in, at one sample rate and in pieces of any length, and the clean near end out: as many frames, later by
/// `delayFrames`. Between them lie the conversion to a rate of the library, the search for the delay of the far end, and the
/// library. Thread: one at a time. It allocates and may lock: for a worker.
package final class VoiceChain {
    /// The far end is given to the library so much before its echo where it can be: WebRTC's takes 3 dB more away than with 4 ms,
    /// and what is found a little late is not too late.
    private static let marginMilliseconds = 12.0
    /// An echo that comes so much earlier or later than it did is still within what the library's filter covers: there the far end
    /// stays where it is, for with each move the filter has all to learn.
    private static let coveredMilliseconds = -4.0...24.0
    /// The clocks of sound cards differ by less than that.
    private static let largestDrift = 300e-6
    /// Less than that no canceller is troubled by.
    private static let leastDrift = 3e-6
    private static let longestDelayMilliseconds = 520

    private let sampleRate: Int
    private let form: VoiceForm
    private let options: VoiceOptions
    private let canceller: any VoiceCanceller
    private var near: RateLine
    /// The far end as it comes, mixed to one channel: for the search.
    private var plainFar: RateLine
    private var far: FarLine
    private var clean: RateLine
    private var search = DelaySearch()
    /// Whether the far end is held to a delay that was found.
    private var isHeld = false
    private var drift = DriftMeter()
    /// How much faster the place in the far end moves than the near end, and what of it is applied.
    private var driftEstimate = 0.0
    private var driftRate = 0.0
    /// In the second before the present one.
    private var lastDriftRate = 0.0
    private var driftMeasurements = 0
    private var decimators: (near: Decimator, plain: Decimator, far: Decimator)
    private var meter: VoiceMeter
    private var frame: (near: [Float], plain: [Float], far: [Float], clean: [Float])
    /// What is known of it.
    package private(set) var figures = VoiceFigures()

    /// - Parameters:
    ///   - sampleRate: of both ends, in hertz.
    ///   - farChannels: more than two are mixed to one.
    package convenience init(
        _ engine: VoiceEngine, _ options: VoiceOptions, sampleRate: Int, nearChannels: Int, farChannels: Int
    ) {
        let form = VoiceForm(
            sampleRate: VoiceForm.sampleRate(for: sampleRate), nearChannels: nearChannels,
            farChannels: farChannels > 2 ? 1 : max(1, farChannels))
        self.init(engine.makeCanceller(form, options), form, options, sampleRate: sampleRate)
    }

    init(_ canceller: any VoiceCanceller, _ form: VoiceForm, _ options: VoiceOptions, sampleRate: Int) {
        self.sampleRate = sampleRate
        self.form = form
        self.options = options
        self.canceller = canceller
        let step = Double(sampleRate) / Double(form.sampleRate)
        near = RateLine(channels: form.nearChannels, step: step, isDelayed: true)
        plainFar = RateLine(channels: 1, step: step, isDelayed: true)
        far = FarLine(
            channels: form.farChannels, step: step, capacity: sampleRate * 2 * Self.longestDelayMilliseconds / 1000 + 1)
        clean = RateLine(channels: form.nearChannels, step: 1 / step)
        let decimator = Decimator(sampleRate: form.sampleRate)
        decimators = (decimator, decimator, decimator)
        meter = VoiceMeter(controlsGain: options.controlsGain)
        let piece = [Float](repeating: 0, count: form.frames)
        let nearPiece = [Float](repeating: 0, count: form.frames * form.nearChannels)
        frame = (nearPiece, piece, [Float](repeating: 0, count: form.frames * form.farChannels), nearPiece)
    }

    /// How much later the sound leaves than it came, beside what has to be gathered before any leaves: in frames.
    package static func delayFrames(_ engine: VoiceEngine, _ options: VoiceOptions, sampleRate: Int) -> Int {
        let rate = VoiceForm.sampleRate(for: sampleRate)
        let step = Double(sampleRate) / Double(rate)
        let before = Double(VariableResampler.delayFrames(step: step))
        let behind = step == 1 ? 0 : Double(VariableResampler.delayFrames(step: 1 / step))
        return Int((before + (engine.delayFrames(sampleRate: rate, options) + behind) * step).rounded())
    }

    /// Adds as many frames of both ends.
    ///
    /// - Parameters:
    ///   - newNear: of each channel.
    ///   - newFar: of each channel, as many as the chain was made for; of more than two, one is the mean.
    ///   - output: what is clean by now is appended to each channel.
    package func process(near newNear: [[Float]], far newFar: [[Float]], into output: inout [[Float]]) {
        near.append(newNear.map(silencingNotFinite))
        let farPlanes = newFar.map(silencingNotFinite)
        let mean = farPlanes.count == 1 ? farPlanes[0] : Self.mean(farPlanes)
        plainFar.append([mean])
        far.append(form.farChannels == farPlanes.count ? farPlanes : [mean])
        while near.available >= form.frames && plainFar.available >= form.frames { processFrame() }
        let count = clean.available
        guard count > 0 else { return }
        var taken = [Float](repeating: 0, count: count * form.nearChannels)
        clean.take(count, into: &taken)
        for channel in output.indices { output[channel] += taken[channel * count..<(channel + 1) * count] }
    }

    private func processFrame() {
        near.take(form.frames, into: &frame.near)
        plainFar.take(form.frames, into: &frame.plain)
        far.take(form.frames, drift: driftRate, into: &frame.far)
        canceller.process(frame.near, far: frame.far, into: &frame.clean)
        figures.frames += UInt64(form.frames)
        judge()
        if options.echo != nil { follow() }
        clean.append(
            (0..<form.nearChannels).map { Array(frame.clean[$0 * form.frames..<($0 + 1) * form.frames]) })
    }

    /// Looks at what the library has made of the sound.
    private func judge() {
        var power = VoiceMeter.power(frame.clean)
        let isBroken = !power.isFinite
        if isBroken {
            for index in frame.clean.indices { frame.clean[index] = 0 }
            power = 0
        }
        let hasDiverged = meter.add(
            nearPower: VoiceMeter.power(frame.near), farPower: VoiceMeter.power(frame.far), cleanPower: power)
        if hasDiverged || isBroken {
            figures.divergences += 1
            canceller.reset()
            meter.reset()
        }
        figures.enhancementDecibels = options.echo == nil ? nil : meter.enhancementDecibels
        figures.speechProbability = canceller.speechProbability
        figures.gainDecibels = canceller.gainDecibels
    }

    /// Holds the far end to its echo.
    private func follow() {
        let near = decimators.near.process(mixed(frame.near, form.nearChannels))
        let plain = decimators.plain.process(frame.plain)
        let late = decimators.far.process(mixed(frame.far, form.farChannels))
        if search.add(far: plain, near: near), let delay = search.delay {
            let milliseconds = Double(delay) / Double(Decimator.sampleRate) * 1000
            figures.delayMilliseconds = milliseconds
            let place = max(0, milliseconds - Self.marginMilliseconds)
            if !isHeld || !Self.coveredMilliseconds.contains(place - heldMilliseconds) { moveFar(place) }
        } else if figures.delayMilliseconds != nil, let moved = drift.add(far: late, near: near) {
            // The first ones count in full, the later ones less and less: so it settles, and still follows.
            driftMeasurements += 1
            let share = max(0.15, 1 / Double(driftMeasurements))
            // It has moved from one second to the next, in the middle of which another rate may have been applied.
            driftEstimate += share * ((lastDriftRate + driftRate) / 2 - moved - driftEstimate)
            lastDriftRate = driftRate
            driftEstimate = max(-Self.largestDrift, min(driftEstimate, Self.largestDrift))
            driftRate = abs(driftEstimate) < Self.leastDrift ? 0 : driftEstimate
            figures.driftPPM = 0 - driftRate * 1e6
        }
    }

    /// By how much the far end is delayed at present: with the clocks it drifts.
    private var heldMilliseconds: Double {
        Double(far.delay(before: near.consumed)) / Double(sampleRate) * 1000
    }

    private func moveFar(_ milliseconds: Double) {
        if isHeld { figures.delayChanges += 1 }
        isHeld = true
        far.move(to: Int(milliseconds / 1000 * Double(sampleRate)), before: near.consumed)
        drift.reset()
        lastDriftRate = driftRate
        driftMeasurements = min(driftMeasurements, 1)
    }

    private func mixed(_ frame: [Float], _ channels: Int) -> [Float] {
        guard channels > 1 else { return frame }
        let count = frame.count / channels
        return (0..<count).map { index in
            (0..<channels).reduce(Float(0)) { $0 + frame[$1 * count + index] } / Float(channels)
        }
    }

    private static func mean(_ planes: [[Float]]) -> [Float] {
        planes[0].indices.map { index in planes.reduce(Float(0)) { $0 + $1[index] } / Float(planes.count) }
    }

    private func silencingNotFinite(_ plane: [Float]) -> [Float] {
        func isSound(_ sample: Float) -> Bool { abs(sample) <= Samples.largestMagnitude }
        guard !plane.allSatisfy(isSound) else { return plane }
        return plane.map { sample in
            guard !isSound(sample) else { return sample }
            figures.nonFiniteSamples += 1
            return 0
        }
    }
}
