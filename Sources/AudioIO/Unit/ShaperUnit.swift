import AudioDSP
import AudioRealtime

/// A unit whose nodes are input, shaper and output: in callback mode, or in queued mode.
public protocol ShaperUnit: GraphUnit {
    /// What it does to the sound.
    var shaper: Shaper { get }
}

extension ShaperUnit {
    /// What the shaper is set to.
    public var setting: ShaperSetting { shaper.setting }

    /// - Parameter decibels: −120…60; what lies outside is moved to the nearest end. NaN changes nothing.
    public func setGain(decibels: Double) { shaper.gainDecibels = decibels }

    /// - Parameter linear: a factor of 0 or more; 0 is silence.
    public func setGain(linear: Double) {
        guard linear >= 0 else { return }
        let largest = Decibels.linear(Decibels.range.upperBound)
        shaper.change { $0.gain = Float(min(linear, largest)) }
    }

    /// - Parameter decibels: −120…60; what lies outside is moved to the nearest end. NaN changes nothing.
    public func setDrive(decibels: Double) { shaper.driveDecibels = decibels }
    /// Changes the curve; the new one fades in. Thread: any but audio.
    public func setShape(_ shape: Shape) { shaper.shape = shape }
    /// The latency changes with it (`ShaperSetting.latencyFrames`); what the ports declare follows a moment later.
    public func setAntialiasing(_ antialiasing: Antialiasing) { shaper.antialiasing = antialiasing }
    /// As `setAntialiasing`.
    public func setFilterPhase(_ phase: FilterPhase) { shaper.phase = phase }
    /// See `ShaperSetting.hasMakeUpGain`.
    public func setMakeUpGain(_ isOn: Bool) { shaper.hasMakeUpGain = isOn }
    /// Leaves the signal alone, bit for bit, or not. Thread: any but audio.
    public func setBypass(_ isBypassed: Bool) { shaper.isBypassed = isBypassed }
    /// Fades the outputs out, or in. Thread: any but audio.
    public func setMute(_ isMuted: Bool) { shaper.isMuted = isMuted }
}
