import CSndFile
import Glibc
import Threads

/// A sound file that libsndfile has finished, and what it leaves to be done.
struct MarkedFile {
    /// Open for writing.
    let descriptor: CInt

    /// Appends markers and loops, and corrects the sizes in the header. A kind of file that has none, or no room for them, is
    /// left as it is. A kill in between leaves bytes behind the file that nobody reads.
    ///
    /// - Returns: whether nothing went wrong; if something did, the file is as it was.
    func append(_ places: SoundPlaces, sampleRate: Int, format: SoundFileFormat) -> Bool {
        guard !places.isEmpty else { return true }
        guard let length = fileSize(descriptor) else { return false }
        let (markers, loops) = (places.markers, places.loops)
        switch format.code & SF_FORMAT_TYPEMASK {
        // WAV is begun as RF64, but for ADPCM and GSM, which that does not hold.
        case SF_FORMAT_RF64, SF_FORMAT_WAV:
            let sampler = MarkerChunks.sampler(loops, baseNote: places.baseNote, sampleRate: sampleRate)
            // The loops first: libsndfile reads nothing behind a long list of names.
            return appendToWave(sampler + (markers.isEmpty ? [] : MarkerChunks.wave(markers)), length)
        case SF_FORMAT_AIFF:
            let chunks = MarkerChunks.aiff(markers, loops, baseNote: places.baseNote)
            let size = padded(length) + chunks.count - 8
            guard !chunks.isEmpty, size <= Int(UInt32.max) else { return true }
            return append(chunks, length) && write(MarkerChunks.big(UInt32(size)), at: 4)
        // The kind of file does not know its length.
        case SF_FORMAT_CAF:
            return markers.isEmpty || append(MarkerChunks.caf(markers), length, isPadded: false)
        default: return true
        }
    }

    /// libsndfile counts the byte that makes a chunk even as one of its samples: a frame too many where frames have one
    /// byte. A kind of file that is not AIFF is left as it is.
    ///
    /// - Returns: whether nothing went wrong.
    func correctSampleChunk(dataBytes: Int, format: SoundFileFormat) -> Bool {
        guard format.container == .aiff, dataBytes % 2 != 0 else { return true }
        guard let chunk = chunk("SSND") else { return false }
        // The chunk begins with two numbers of 32 bits.
        let wanted = dataBytes + 8
        return chunk.size != wanted + 1 || write(MarkerChunks.big(UInt32(wanted)), at: chunk.place + 4)
    }

    /// Sets the time of day to zero in the PEAK chunk of an RF64 file of floats, so that the same sound makes the same file. A WAV
    /// file that was begun as RF64 has this chunk too. libsndfile cannot be told to leave it out. Other files do not change.
    ///
    /// - Returns: whether nothing went wrong.
    func clearPeakTime(format: SoundFileFormat) -> Bool {
        guard format.code & SF_FORMAT_TYPEMASK == SF_FORMAT_RF64, let chunk = chunk("PEAK") else { return true }
        // A version, then the time.
        return write([0, 0, 0, 0], at: chunk.place + 12)
    }

    /// Our descriptor only writes; the kernel opens the same file for reading, whatever is by now under its name.
    private func chunk(_ name: String) -> FileChunks.Chunk? {
        SoundFileInput.reading(descriptor) { FileChunks($0)?.first(name) }
    }

    private func appendToWave(_ chunks: [UInt8], _ length: Int) -> Bool {
        guard !chunks.isEmpty else { return true }
        let size = padded(length) + chunks.count - 8
        let head = SoundFileInput.reading(descriptor) { $0.bytes(4, at: 0) } ?? []
        switch String(decoding: head, as: UTF8.self) {
        case "RIFF":
            guard size <= Int(UInt32.max) else { return true }
            return append(chunks, length) && write(MarkerChunks.little(UInt32(size)), at: 4)
        // The first chunk of an RF64 file is the one with its sizes, the whole one's first.
        case "RF64": return append(chunks, length) && write(MarkerChunks.little(UInt64(size)), at: 20)
        default: return true
        }
    }

    private func padded(_ length: Int) -> Int { length + length % 2 }

    private func append(_ chunks: [UInt8], _ length: Int, isPadded: Bool = true) -> Bool {
        let padding = isPadded && length % 2 != 0 ? [UInt8(0)] : []
        if write(padding + chunks, at: length) { return true }
        _ = ftruncate(descriptor, off_t(length))
        return false
    }

    private func write(_ bytes: [UInt8], at place: Int) -> Bool {
        WholeWrite.write(bytes, to: descriptor, at: place)
    }
}
