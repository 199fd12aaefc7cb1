import CSndFile
import Glibc

// Whether all is there.
extension SoundFileReader {
    /// How large the file is now.
    var fileBytes: Int { fileSize(descriptor) ?? 0 }

    private func bad(_ reason: String) -> SoundFileError { SoundFileError(.badInput, operation, path, reason) }

    func check() throws(SoundFileError) {
        guard sampleRate > 0, (1...1024).contains(channels) else {
            throw bad("its header names \(channels) channels at \(sampleRate) hertz; convert it to WAV or FLAC")
        }
        guard !isPipe else { return }
        switch acceptance {
        case .whole: try requireWhole()
        case .readablePart: findFlaws()
        }
    }

    private func requireWhole() throws(SoundFileError) {
        guard frames != 0 else {
            throw bad(
                "its header says that it holds no frames; if it was never finished, repair it with another program")
        }
        if let promise = brokenPromise {
            let flaw = SoundFileFlaw.missingBytes(promised: promise.promisedBytes, present: promise.presentBytes)
            throw bad("\(flaw); get the whole file")
        }
        if let flaw = flac?.flaws.first ?? chain?.leftOut { throw bad("\(flaw); convert it") }
        if flac?.isShorter == true, let frames {
            throw bad("\(SoundFileFlaw.missingFrames(promised: frames)); get the whole file")
        }
        guard isSeekable else { return }
        // Without a seek: a FLAC file that does not know its length takes none but to its beginning.
        guard unsafe Self.canReadFrame(of: file, channels) else {
            throw bad("no frame of it can be read; is it cut off?")
        }
        if let frames, chain == nil, !(unsafe Self.canReadFrame(of: file, channels, at: frames - 1)) {
            throw bad("\(SoundFileFlaw.missingFrames(promised: frames)); get the whole file")
        }
        try rewind(orThrow: .badInput)
    }

    /// A line that the log has no room for is found in the file itself.
    private var brokenPromise: BrokenPromise? {
        let log = unsafe soundFileLog(file)
        if let promise = BrokenPromise(log: log) { return promise }
        guard log.utf8.count >= BrokenPromise.fullLogBytes else { return nil }
        return SoundFileInput.reading(descriptor) { BrokenPromise(chunksOf: $0) }
    }

    /// Tries the last frame on a handle of its own: after a failed seek, not every decoder goes on from the beginning.
    private func findFlaws() {
        if frames == 0 { foundFlaws.append(.noFrames) }
        if let chain {
            foundFlaws += chain.losses + [chain.leftOut].compactMap { $0 }
            return
        }
        if let promise = brokenPromise {
            foundFlaws.append(.missingBytes(promised: promise.promisedBytes, present: promise.presentBytes))
            return
        }
        guard let frames, frames > 0, isSeekable else { return }
        if let flac {
            if flac.isShorter { foundFlaws.append(.missingFrames(promised: frames)) }
            return
        }
        var facts = Self.facts(headerless)
        guard let probe = unsafe reopened(&facts)?.file else { return }
        defer { unsafe sf_close(probe) }
        guard Int(facts.channels) == channels, Int(facts.frames) == frames else { return }
        if !(unsafe Self.canReadFrame(of: probe, channels, at: frames - 1)) {
            foundFlaws.append(.missingFrames(promised: frames))
        }
    }

    @unsafe private static func canReadFrame(of file: OpaquePointer, _ channels: Int, at position: Int? = nil) -> Bool {
        if let position, unsafe sf_seek(file, Int64(position), CInt(SEEK_SET)) != Int64(position) { return false }
        var frame = [Float](repeating: 0, count: channels)
        return unsafe frame.withUnsafeMutableBufferPointer {
            // SAFETY: there is room for the one frame.
            unsafe sf_readf_float(file, $0.baseAddress, 1) == 1
        }
    }

    /// That reading stopped is right where the promise is kept. Where there was none, a last block that is broken is
    /// how a killed recorder ends.
    func checkEnd() throws(SoundFileError) {
        noteEndOfPipe()
        let error = unsafe sf_error(file)
        let isBroken =
            error == SF_ERR_SYSTEM || (frames != nil && error != 0) || flac?.hasFailed ?? false
            || chain?.hasFailed ?? false
        guard isBroken || position < frames ?? 0 else { return }
        // libsndfile has read the file to its end.
        if !isBroken, let frames, chain != nil {
            foundFlaws.removeAll { if case .lost = $0 { true } else { false } }
            return note(.lost(frames: frames - position))
        }
        let reason = error == 0 ? nil : unsafe soundFileError(file)
        if acceptance == .readablePart {
            // It is said once.
            guard !foundFlaws.contains(where: { if case .stopped = $0 { true } else { false } }) else { return }
            return foundFlaws.append(.stopped(frame: position, promised: frames, reason: reason))
        }
        let end = frames.map { "frame \(position) of \($0)" } ?? "frame \(position)"
        let words = reason.map { " (libsndfile: \($0))" } ?? ""
        throw isPipe
            ? bad("the pipe ended at \(end)\(words); was its writer stopped?")
            : SoundFileError(
                .io, operation, path, "reading stopped at \(end)\(words); was it changed, or is the disk broken?")
    }

    private func noteEndOfPipe() {
        guard let outline = outline?.present else { return }
        if outline.links.count > 1 { note(.chained(frame: position)) }
        guard acceptance == .readablePart else { return }
        if !outline.hasEnd { note(.missingEnd) }
        if outline.isDamaged { note(.lost(frames: nil)) }
    }

    func rewind(orThrow kind: SoundFileError.Kind) throws(SoundFileError) {
        if isPipe {
            throw SoundFileError(
                .unsupportedFormat, operation, path, "a pipe does not go back; write it into a file first")
        }
        if !jump(to: 0) {
            let reason = unsafe soundFileError(file)
            guard chain.map({ enter($0, 0) }) ?? reopen() else {
                throw SoundFileError(
                    kind, operation, path, "it cannot be rewound (libsndfile: \(reason)); convert it to WAV")
            }
        }
        position = 0
    }

    private func reopen() -> Bool {
        var facts = Self.facts(headerless)
        guard let again = unsafe reopened(&facts) else { return false }
        guard Int(facts.channels) == channels else {
            unsafe sf_close(again.file)
            return false
        }
        unsafe sf_close(file)
        unsafe (file, descriptor) = again
        return true
    }

    /// The same file on a handle of its own, from its first byte on.
    private func reopened(_ facts: inout SF_INFO) -> (file: OpaquePointer, descriptor: CInt)? {
        guard let descriptor = SoundFileInput.reopened(descriptor),
            let file = unsafe sf_open_fd(descriptor, CInt(SFM_READ), &facts, 1)
        else { return nil }
        return unsafe (file, descriptor)
    }
}
