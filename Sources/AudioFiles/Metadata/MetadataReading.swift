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
        case .aiff: return MarkerChunks.readAIFF(chunk("MARK"), instrument: chunk("INST"))
        case .caf: return MarkerChunks.readCAF(chunk("mark"), strings: chunk("strg"))
        default: return []
        }
    }

    /// The note, of MIDI, at which a sampler plays the sound at its own rate: 60 is middle C, also where none is named.
    public var baseNote: Int {
        let named: Int? =
            switch fileBytes > 0 ? fileFormat?.container : nil {
            case .wav, .rf64: MarkerChunks.readSampler(chunk("smpl"))?.baseNote
            case .aiff: chunk("INST").first.map { min(Int($0), 127) }
            default: nil
            }
        return named ?? SoundFileLoop.usualBaseNote
    }

    /// Loop points for samplers, of WAV, RF64 and AIFF; at most 16.
    public var loops: [SoundFileLoop] {
        switch fileBytes > 0 ? fileFormat?.container : nil {
        case .wav, .rf64: MarkerChunks.readSampler(chunk("smpl"))?.loops ?? []
        case .aiff: MarkerChunks.readAIFFLoops(chunk("MARK"), instrument: chunk("INST"))
        default: []
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
