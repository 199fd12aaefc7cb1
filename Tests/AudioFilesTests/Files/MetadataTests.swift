import AudioFiles
import CSndFile
import TestSupport
import Testing

@Suite("A file's metadata") struct MetadataTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let all = SoundFileMetadata([
        .title: "Grün & <b>", .artist: "Somebody", .album: "An album", .date: "2026-11-22", .genre: "Noise",
        .comment: "a comment, a longer one", .copyright: "© 2026", .license: "CC0", .software: "iounit",
        .trackNumber: "7",
    ])
    private static let missing: [(String, [String])] = [
        ("a.wav", ["license"]), ("a.rf64", ["license"]), ("a.caf", []), ("a.flac", []), ("a.ogg", []), ("a.opus", []),
        ("a.mp3", ["copyright", "license", "software"]),
        ("a.aiff", ["album", "date", "genre", "license", "track number"]),
        ("a.w64", SoundFileMetadata.Field.allCases.map(\.rawValue)),
        ("a.au", SoundFileMetadata.Field.allCases.map(\.rawValue)),
    ]

    @Test(arguments: missing)
    func `is read as it was written, and what the container lacks is named`(name: String, omitted: [String]) throws {
        let sound = chord(frames: 4800, channels: 2, sampleRate: 48000)
        let writer = try writeFile(folder(name), sound, channels: 2, metadata: Self.all)
        #expect(writer.omittedMetadata == omitted)
        let read = try SoundFileReader(path: folder(name)).metadata
        for (field, text) in Self.all.texts where !omitted.contains(field.rawValue) {
            let wanted: String? =
                switch (field, name) {
                // libsndfile adds itself.
                case (.software, _): read[field]?.hasPrefix("iounit (libsndfile") == true ? read[field] : text
                case (.date, "a.mp3"): "2026"
                case (.copyright, "a.aiff"): ".. 2026"
                default: text
                }
            #expect(read[field] == wanted, "\(field.rawValue)")
        }
        #expect(read.broadcast == nil)
    }

    @Test(arguments: ["a.wav", "a.rf64", "a.flac"])
    func `says where and when a broadcast began`(name: String) throws {
        var info = BroadcastInfo()
        info.description = "A concert"
        info.originator = "iounit"
        info.originatorReference = "REF-1"
        info.originationDate = "2026-11-22"
        info.originationTime = "14:09:15"
        info.timeReferenceFrames = 48000 * 86_399 + (1 << 33)
        let writer = try writeFile(folder(name), [0.5], metadata: SoundFileMetadata(broadcast: info))
        let read = try SoundFileReader(path: folder(name)).metadata.broadcast
        #expect(writer.omittedMetadata == (name == "a.flac" ? ["broadcast information"] : []))
        #expect(read == (name == "a.flac" ? nil : info))
    }

    @Test func `is cut where there is no room, and never within a character`() throws {
        var info = BroadcastInfo()
        info.originator = String(repeating: "é", count: 40)
        info.description = "before\0behind"
        let long = String(repeating: "ü", count: 5000)
        try writeFile(folder("a.wav"), [0.5], metadata: SoundFileMetadata([.title: long], broadcast: info))
        let read = try SoundFileReader(path: folder("a.wav")).metadata
        #expect(read[.title]?.count == 1000 && read[.title]?.allSatisfy { $0 == "ü" } == true)
        #expect(read.broadcast?.originator == String(repeating: "é", count: 16))
        #expect(read.broadcast?.description == "before")
    }

    @Test(arguments: ["a.wav", "a.rf64", "a.caf", "a.aiff"])
    func `holds markers, of any number and with any name`(name: String) throws {
        let sound = chord(frames: 5001, channels: 1, sampleRate: 48000)
        let markers =
            [
                Marker(frame: 0, label: "start"), Marker(frame: 4000, label: ""),
                Marker(frame: 17, label: "Schluß, 2 ms"),
            ]
            + (0..<200).map { Marker(frame: $0 * 10, label: String(repeating: "x", count: $0)) }
        try writeFile(folder(name), sound, markers: markers)
        let reader = try SoundFileReader(path: folder(name))
        #expect(reader.markers == markers)
        #expect(try floats(reader) == sound)
    }

    @Test(arguments: [SoundFileFormat.Encoding.imaADPCM, .gsm610])
    func `holds markers where WAV is not begun as RF64`(encoding: SoundFileFormat.Encoding) throws {
        let markers = [Marker(frame: 17, label: "one"), Marker(frame: 4000, label: "two")]
        let format = try SoundFileFormat(path: "a.wav", encoding: encoding)
        let sound = chord(frames: 5001, channels: 1, sampleRate: 8000)
        try writeFile(folder("a.wav"), sound, format: format, sampleRate: 8000, markers: markers)
        let reader = try SoundFileReader(path: folder("a.wav"))
        #expect(reader.markers == markers && reader.frames ?? 0 >= 5001)
    }

    @Test func `with markers is also libsndfile's`() throws {
        try writeFile(folder("a.wav"), [0, 0.5], markers: [Marker(frame: 1, label: "one")])
        try writeFile(folder("a.flac"), [0, 0.5], markers: [Marker(frame: 1, label: "one")])
        #expect(try SoundFileReader(path: folder("a.flac")).markers.isEmpty)
        #expect(try SoundFileReader(path: folder("a.wav")).loops.isEmpty)
    }

    @Test func `has the loops of a sampler`() throws {
        let loop = [0, 1, 100, 900, 0, 3].flatMap { little(UInt32($0)) }
        let head = [0, 0, 20833, 60, 0, 0, 0, 1, 0].flatMap { little(UInt32($0)) }
        let file = WaveBytes(chunks: [.format(), .init("smpl", head + loop), .data(2000)])
        try put(file.bytes, at: folder("a.wav"))
        let loops = try SoundFileReader(path: folder("a.wav")).loops
        #expect(loops.count == 1 && loops.first?.startFrame == 100 && loops.first?.direction == .alternating)
        #expect(loops.first?.endFrame == 901 && loops.first?.repetitions == 3, "\(loops)")
    }

    @Test(arguments: ["a.wav", "a.rf64"])
    func `has loops that were written, of which libsndfile knows too`(name: String) throws {
        let loops = [
            SoundFileLoop(startFrame: 100, endFrame: 900),
            SoundFileLoop(startFrame: 0, endFrame: 1, direction: .alternating),
            SoundFileLoop(startFrame: 17, endFrame: 4800, direction: .backward, repetitions: 3),
        ]
        let format = try SoundFileFormat(path: name, encoding: name == "a.rf64" ? .pcm16 : .pcm8)
        let writer = try SoundFileWriter(path: folder(name), format: format, sampleRate: 48000, channels: 1)
        let sound = chord(frames: 4801, channels: 1, sampleRate: 48000)
        try writer.write(sound)
        try writer.close(
            marking: [Marker(frame: 3, label: "three")],
            looping: loops + [SoundFileLoop(startFrame: 5, endFrame: 5)], baseNote: 69)
        let reader = try SoundFileReader(path: folder(name))
        #expect(reader.loops == loops && reader.baseNote == 69)
        #expect(reader.markers == [Marker(frame: 3, label: "three")] && reader.frames == 4801)
        guard name == "a.wav" else { return }
        var facts = SF_INFO()
        let file = try #require(sf_open(folder(name), CInt(SFM_READ), &facts))
        defer { sf_close(file) }
        var instrument = SF_INSTRUMENT()
        let size = CInt(MemoryLayout<SF_INSTRUMENT>.size)
        #expect(sf_command(file, CInt(SFC_GET_INSTRUMENT), &instrument, size) == SF_TRUE)
        #expect(instrument.loop_count == 3 && instrument.basenote == 69)
    }

    @Test func `has AIFF's loops, between markers that are not the file's own`() throws {
        let loops = [
            SoundFileLoop(startFrame: 100, endFrame: 900),
            SoundFileLoop(startFrame: 1000, endFrame: 4801, direction: .alternating),
        ]
        let markers = [Marker(frame: 3, label: "three"), Marker(frame: 100, label: "beg loop")]
        let more = [
            SoundFileLoop(startFrame: 1, endFrame: 2, direction: .backward), SoundFileLoop(startFrame: 5, endFrame: 6),
        ]
        for (kept, written) in [(markers, loops), ([], loops), (markers, [])] {
            let writer = try SoundFileWriter(
                path: folder("a.aiff"), sampleRate: 48000, channels: 1, replacing: true)
            let sound = chord(frames: 4801, channels: 1, sampleRate: 48000)
            try writer.write(sound)
            try writer.close(
                marking: kept, looping: written.isEmpty ? [] : [more[0]] + written + [more[1]], baseNote: 33)
            let reader = try SoundFileReader(path: folder("a.aiff"))
            #expect(reader.loops == written && reader.markers == kept, "\(reader.loops) \(reader.markers)")
            #expect(reader.baseNote == 33)
            let isSame = try floats(reader) == sound
            #expect(isSame)
        }
    }

    @Test func `of chunks that lie is what is there of it`() throws {
        func reader(_ chunks: [WaveBytes.Chunk]) throws -> SoundFileReader {
            try put(WaveBytes(chunks: [.format(), .data(200)] + chunks).bytes, at: folder("a.wav"))
            return try SoundFileReader(path: folder("a.wav"), accepting: .readablePart)
        }
        let place =
            [1, 0].flatMap { little(UInt32($0)) } + Array("data".utf8) + [0, 0, 9].flatMap { little(UInt32($0)) }
        #expect(try reader([.init("cue ", little(UInt32.max) + place)]).markers == [Marker(frame: 9, label: "")])
        #expect(try reader([.init("cue ", little(UInt32(2)) + place.dropLast())]).markers.isEmpty)
        #expect(try reader([.init("cue ", [1])]).markers.isEmpty)
        let labels = Array("adtllabl".utf8) + little(UInt32.max) + little(UInt32(1)) + Array("x".utf8)
        let marked = try reader([.init("cue ", little(UInt32(1)) + place), .init("LIST", labels)])
        #expect(marked.markers == [Marker(frame: 9, label: "")])
    }

    /// Else a file of a gigabyte that is mostly one hole would take a gigabyte of memory.
    @Test(arguments: [(1 << 10, "b"), (9 << 20, "")]) func `of chunks of one name is read up to 16 MiB`(
        bytes: Int, last: String
    ) throws {
        func label(_ number: UInt32, _ text: String) -> WaveBytes.Chunk {
            let head: [UInt8] = Array("adtllabl".utf8) + little(UInt32(6)) + little(number)
            return WaveBytes.Chunk("LIST", head + Array(text.utf8) + [0])
        }
        var places = little(UInt32(2))
        for number: UInt32 in [1, 2] {
            places += little(number) + little(UInt32(0)) + Array("data".utf8)
            for field: UInt32 in [0, 0, number] { places += little(field) }
        }
        let filler = WaveBytes.Chunk("LIST", "none".utf8 + [UInt8](repeating: 1, count: bytes))
        let chunks: [WaveBytes.Chunk] = [.format(), .data(200), .init("cue ", places), label(1, "a"), filler, filler]
        try put(WaveBytes(chunks: chunks + [label(2, "b")]).bytes, at: folder("a.wav"))
        let reader = try SoundFileReader(path: folder("a.wav"), accepting: .readablePart)
        #expect(reader.markers == [Marker(frame: 1, label: "a"), Marker(frame: 2, label: last)])
    }
}
