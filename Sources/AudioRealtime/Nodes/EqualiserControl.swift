import AudioDSP

/// The control thread's side of an equaliser node. Thread: control, one at a time.
package struct EqualiserControl: ~Copyable {
    /// What the audio thread runs.
    package let state: Cell<EqualiserState>
    private var settings: MailboxWriter<EqualiserSetting>
    package private(set) var bands: [EqualiserBand]
    /// In hertz.
    package private(set) var sampleRate: Int

    /// - Parameters:
    ///   - bands: in force from the first frame on; at most 32, those behind are left out.
    ///   - sampleRate: in hertz.
    package init(channels: Int, bands: [EqualiserBand] = [], sampleRate: Int) {
        let setting = EqualiserSetting(bands, sampleRate: sampleRate)
        let mailbox = Mailbox(setting)
        settings = mailbox.writer
        state = Cell(EqualiserState(channels: channels, setting: setting, settings: mailbox.reader))
        self.bands = bands
        self.sampleRate = sampleRate
    }

    /// Sets out for other bands. Wait-free, but for the arithmetic: some 0.1 µs for each band.
    package mutating func set(_ bands: [EqualiserBand]) {
        self.bands = bands
        settings.put(setting)
    }

    /// Sets out for the same bands at another sample rate in hertz.
    package mutating func setSampleRate(_ sampleRate: Int) {
        self.sampleRate = sampleRate
        settings.put(setting)
    }

    /// After so many frames 60 dB of what was before are forgotten; a tenth of a second at most.
    package var settlingFrames: Int { setting.settlingFrames }

    /// The gain of all bands together at a frequency, in dB.
    package func decibels(atHertz hertz: Double) -> Double {
        setting.decibels(atHertz: hertz, sampleRate: sampleRate)
    }

    private var setting: EqualiserSetting { EqualiserSetting(bands, sampleRate: sampleRate) }
}
