import AudioDSP

/// An equaliser's state, and the end of the mailbox by which settings reach it. Thread: control, one at a time.
package struct EqualiserControl: ~Copyable {
    /// What the audio thread runs.
    package let state: Cell<EqualiserState>
    private var settings: MailboxWriter<EqualiserSetting>

    /// - Parameter setting: in force from the first frame on.
    package init(channels: Int, _ setting: EqualiserSetting) {
        let mailbox = Mailbox(setting)
        settings = mailbox.writer
        state = Cell(EqualiserState(channels: channels, setting: setting, settings: mailbox.reader))
    }

    /// Sets out for another setting: of other bands, or of the same at another sample rate. Wait-free.
    package mutating func put(_ setting: EqualiserSetting) { settings.put(setting) }
}
