import CSndFile
import Glibc

// Where libsndfile has stopped and more sound follows: the next link of a chain, MP3 behind a hole, WAV behind a placeholder.
extension SoundFileReader {
    /// Continues with what follows. Returns `false` at the end of the file.
    func goOn() -> Bool { goOnInChain() || goOnBehindPlaceholder() }

    /// Seeks to a frame, which must not lie behind the end. Returns whether it was reached.
    func jump(to frame: Int) -> Bool {
        guard let chain else { return unsafe sf_seek(file, Int64(frame), CInt(SEEK_SET)) == Int64(frame) }
        let number = chain.link(at: frame)
        let start = chain.links[number].start
        // Behind a hole the window is a part of the link. For its first frame the link is opened again: libsndfile 1.2.0 can hang in
        // a seek in hostile Opus.
        let isEntered = window?.bytes == chain.links[number].bytes && frame > start
        guard isEntered || enter(chain, number) else { return false }
        let place = Int64(frame - start)
        if unsafe place == 0 || sf_seek(file, place, CInt(SEEK_SET)) == place { return true }
        // The caller reads on from the beginning of the link.
        _ = enter(chain, number)
        return false
    }

    /// Opens a link with libsndfile, in place of the present one.
    func enter(_ chain: FileChain, _ number: Int) -> Bool {
        enter(chain, chain.window(chain.links[number].bytes), number, at: chain.links[number].start)
    }

    private func enter(_ chain: FileChain, _ next: FileWindow, _ number: Int, at frame: Int) -> Bool {
        var facts = SF_INFO()
        guard let opened = unsafe next.open(&facts) else {
            note(.lost(frames: nil))
            return false
        }
        guard Int(facts.channels) == channels, Int(facts.samplerate) == sampleRate else {
            unsafe sf_close(opened)
            note(
                .changed(
                    frame: position, sampleRate: Int(facts.samplerate), channels: Int(facts.channels), bits: nil))
            return false
        }
        unsafe sf_close(file)
        unsafe (file, window, link) = (opened, next, number)
        (windowStart, position) = (frame, frame)
        vorbisPlaces = Self.vorbisPlaces(facts, isUnordered: chain.links[number].isUnordered)
        return true
    }

    /// Continues behind a hole in MP3, or in the next link.
    private func goOnInChain() -> Bool {
        guard let chain, let window else { return false }
        if let byte = chain.frames(in: window.bytes, behind: window.position),
            enter(chain, chain.window(byte..<window.bytes.upperBound), link, at: position)
        {
            note(.lost(frames: nil))
            return true
        }
        let next = link + 1
        // Its start is an estimate in MP3: what was read counts.
        return next < chain.links.count && enter(chain, chain.window(chain.links[next].bytes), next, at: position)
    }

    /// Notes a flaw, once.
    func note(_ flaw: SoundFileFlaw) {
        if !foundFlaws.contains(flaw) { foundFlaws.append(flaw) }
    }

    // WAV through a pipe from a program that does not know the length: its sizes have 32 bits, and sound may go on for longer.

    /// How many of so many frames libsndfile may be asked for: it takes more from the pipe, and drops them.
    func beforePlaceholder(_ count: Int) -> Int {
        placeholderFrames.map { min(count, max(0, $0 - position)) } ?? count
    }

    /// Goes on behind the 2 or 4 GiB that stand for an unknown size; whether it did. What follows are samples of the same kind,
    /// of which libsndfile has read none ahead.
    private func goOnBehindPlaceholder() -> Bool {
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
