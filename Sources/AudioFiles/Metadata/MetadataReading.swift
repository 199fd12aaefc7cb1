import CSndFile

// What is read besides samples.
extension SoundFileReader {
    /// Title, artist and the like, and the broadcast information.
    public var metadata: SoundFileMetadata { unsafe SoundFileMetadata(of: file) }

    /// Markers in the order of the file: cue points of WAV and RF64, markers of AIFF and CAF. At most 100 000.
    public var markers: [Marker] {
        guard fileBytes > 0 else { return [] }
        switch fileFormat?.container {
        case .wav, .rf64:
            return MarkerChunks.readWave(chunk("cue "), labels: chunks("LIST"))
        case .aiff: return MarkerChunks.readAIFF(chunk("MARK"))
        case .caf: return MarkerChunks.readCAF(chunk("mark"), strings: chunk("strg"))
        default: return []
        }
    }

    /// The note, of MIDI, at which a sampler plays the sound at its own rate: 60 is middle C, also where none is named.
    public var baseNote: Int {
        [.wav, .rf64].contains(fileFormat?.container)
            ? MarkerChunks.readSampler(chunk("smpl"))?.baseNote ?? SoundFileLoop.usualBaseNote
            : SoundFileLoop.usualBaseNote
    }

    /// Loop points for samplers, of WAV, RF64 and AIFF; at most 16.
    public var loops: [SoundFileLoop] {
        guard fileBytes > 0 else { return [] }
        if [.wav, .rf64].contains(fileFormat?.container) {
            return MarkerChunks.readSampler(chunk("smpl"))?.loops ?? []
        }
        var instrument = SF_INSTRUMENT()
        let size = CInt(MemoryLayout<SF_INSTRUMENT>.size)
        guard unsafe sf_command(file, CInt(SFC_GET_INSTRUMENT), &instrument, size) == SF_TRUE else { return [] }
        let count = min(max(0, Int(instrument.loop_count)), 16)
        // The array of 16 structures of four words at the end, which Swift does not import.
        let start = MemoryLayout<SF_INSTRUMENT>.size - 16 * 16
        // SAFETY: within the bytes of the structure.
        return unsafe withUnsafeBytes(of: instrument) { bytes in
            (0..<count).compactMap { index in
                let words = (0..<4).map {
                    unsafe bytes.load(fromByteOffset: start + index * 16 + $0 * 4, as: UInt32.self)
                }
                let direction: SoundFileLoop.Direction? =
                    switch Int(words[0]) {
                    case SF_LOOP_FORWARD: .forward
                    case SF_LOOP_BACKWARD: .backward
                    case SF_LOOP_ALTERNATING: .alternating
                    default: nil
                    }
                return direction.map {
                    SoundFileLoop(
                        startFrame: Int(words[1]), endFrame: Int(words[2]), direction: $0, repetitions: Int(words[3]))
                }
            }
        }
    }

    private func chunk(_ name: String) -> [UInt8] { chunks(name).first ?? [] }

    /// The contents of the chunks of a name; of a longer one, its beginning.
    private func chunks(_ name: String) -> [[UInt8]] {
        var info = unsafe SF_CHUNK_INFO()
        // SAFETY: a name has four bytes, and there is room for 64.
        unsafe withUnsafeMutableBytes(of: &info.id) { unsafe $0.copyBytes(from: Array(name.utf8.prefix(4))) }
        unsafe info.id_size = 4
        var found: [[UInt8]] = []
        var iterator = unsafe sf_get_chunk_iterator(file, &info)
        while let here = unsafe iterator, found.count < MarkerChunks.mostChunks {
            var wanted = unsafe SF_CHUNK_INFO()
            if unsafe sf_get_chunk_size(here, &wanted) == SF_ERR_NO_ERROR {
                // A size is the header's word: no more memory is taken than any list of markers needs.
                let count = min(Int(unsafe wanted.datalen), MarkerChunks.mostBytes, fileBytes)
                var content = [UInt8](repeating: 0, count: count)
                unsafe content.withUnsafeMutableBytes { room in
                    unsafe wanted.data = room.baseAddress
                    unsafe wanted.datalen = UInt32(room.count)
                    // SAFETY: it writes at most `datalen` bytes.
                    if unsafe sf_get_chunk_data(here, &wanted) == SF_ERR_NO_ERROR { unsafe found.append(Array(room)) }
                }
            }
            unsafe iterator = sf_next_chunk_iterator(here)
        }
        return found
    }
}
