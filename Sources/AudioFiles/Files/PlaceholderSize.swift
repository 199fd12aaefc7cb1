import CSndFile
import Glibc

// WAV through a pipe from a program that does not know the length: its sizes have 32 bits, and sound may go on for longer.
extension SoundFileReader {
    /// How many of so many frames libsndfile may be asked for: it takes more from the pipe, and drops them.
    func beforePlaceholder(_ count: Int) -> Int {
        placeholderFrames.map { min(count, max(0, $0 - position)) } ?? count
    }

    /// Goes on behind the 2 or 4 GiB that stand for an unknown size; whether it did. What follows are samples of the same kind,
    /// of which libsndfile has read none ahead.
    func goOnBehindPlaceholder() -> Bool {
        guard let placeholderFrames, position == placeholderFrames, let fileFormat, fileFormat.container == .wav,
            fileFormat.encoding.isLossless || [.aLaw, .muLaw].contains(fileFormat.encoding)
        else { return false }
        self.placeholderFrames = nil
        // WAV's samples of 8 bits have no sign.
        let sample = exactFormat.sampleFormat == .int8 ? SampleFormat.uint8 : exactFormat.sampleFormat
        var facts = SF_INFO(sampleRate: sampleRate, channels: channels, code: sample.headerlessCode)
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        // It closes the descriptor also where it does not open it.
        guard copy >= 0, let rest = unsafe sf_open_fd(copy, CInt(SFM_READ), &facts, 1) else { return false }
        unsafe sf_close(file)
        unsafe file = rest
        descriptor = copy
        return true
    }
}
