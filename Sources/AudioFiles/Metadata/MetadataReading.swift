import CSndFile

// What is read besides samples.
extension SoundFileReader {
    /// Title, artist and the like, and the broadcast information.
    public var metadata: SoundFileMetadata {
        if let flac { return SoundFileMetadata(vorbisComments: flac.texts) }
        // A chain has the metadata of its first link, whichever is being read.
        let first = link == 0 ? nil : chain.map { $0.window($0.links[0].bytes) }
        return unsafe first?.examined { file, _ in unsafe SoundFileMetadata(of: file) } ?? SoundFileMetadata(of: file)
    }

    /// Markers in the order of the file: cue points of WAV and RF64, markers of AIFF and CAF. At most 100 000, and none
    /// beyond the end of the sound.
    public var markers: [Marker] { places.markers }

    /// The note, of MIDI, at which a sampler plays the sound at its own rate: 60 is middle C, also where none is named.
    public var baseNote: Int { places.baseNote }

    /// Loop points for samplers, of WAV, RF64 and AIFF; at most 16, and none beyond the end of the sound.
    public var loops: [SoundFileLoop] { places.loops }

    /// All of these, and what is wrong with them.
    package var places: SoundPlaces {
        switch fileBytes > 0 ? fileFormat?.container : nil {
        case .wav, .rf64:
            let sampler = MarkerChunks.readSampler(chunk("smpl"))
            return SoundPlaces(
                markers: MarkerChunks.readWave(chunk("cue "), labels: chunks("LIST")), loops: sampler?.loops ?? [],
                baseNote: sampler?.baseNote ?? SoundFileLoop.usualBaseNote, unreadLoops: sampler?.unread ?? 0,
                within: frames)
        case .aiff:
            let (markers, instrument) = (chunk("MARK"), chunk("INST"))
            return SoundPlaces(
                markers: MarkerChunks.readAIFF(markers, instrument: instrument),
                loops: MarkerChunks.readAIFFLoops(markers, instrument: instrument),
                baseNote: instrument.first.map { min(Int($0), 127) } ?? SoundFileLoop.usualBaseNote, within: frames)
        case .caf:
            return SoundPlaces(
                markers: MarkerChunks.readCAF(chunk("mark"), strings: chunk("strg")), within: frames)
        default: return SoundPlaces()
        }
    }

    /// What it says of its sound that none of these has, in words: pictures and other texts of FLAC, and some chunks of WAV.
    var unread: [String] {
        if let (texts, pictures) = flac?.counts {
            let others = texts - metadata.texts.count
            return (pictures > 0 ? [pictures == 1 ? "a picture" : "\(pictures) pictures"] : [])
                + (others > 0 ? [others == 1 ? "a text" : "\(others) texts"] : [])
        }
        guard fileBytes > 0, let container = fileFormat?.container, [.wav, .rf64].contains(container) else { return [] }
        return ["iXML", "axml", "chna", "cart", "umid", "id3 ", "ID3 ", "acid", "inst"]
            .filter { unsafe firstChunk($0) != nil }.map { "the chunk \($0.filter { $0 != " " })" }
    }

    private func chunk(_ name: String) -> [UInt8] { chunks(name).first ?? [] }

    /// The contents of the chunks of a name; of more than is read, the beginning.
    private func chunks(_ name: String) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var bytesLeft = MarkerChunks.mostBytes
        var iterator = unsafe firstChunk(name)
        while let here = unsafe iterator, found.count < MarkerChunks.mostChunks, bytesLeft > 0 {
            var wanted = unsafe SF_CHUNK_INFO()
            if unsafe sf_get_chunk_size(here, &wanted) == SF_ERR_NO_ERROR {
                // A size is the header's word: no more memory is taken than any list of markers needs.
                let count = min(Int(unsafe wanted.datalen), bytesLeft, fileBytes)
                bytesLeft -= count
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

    private func firstChunk(_ name: String) -> OpaquePointer? {
        var info = unsafe SF_CHUNK_INFO()
        // SAFETY: a name has four bytes, and there is room for 64.
        unsafe withUnsafeMutableBytes(of: &info.id) { unsafe $0.copyBytes(from: Array(name.utf8.prefix(4))) }
        unsafe info.id_size = 4
        return unsafe sf_get_chunk_iterator(file, &info)
    }
}
