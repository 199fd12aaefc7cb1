import CSndFile
import Glibc

// How metadata goes into an open file and comes out of it.
extension SoundFileMetadata {
    /// What libsndfile reads again from each container: of WAV it has room for 2048 bytes.
    private static let longestText = 2000

    /// Before the first sample is written.
    @unsafe func write(to file: OpaquePointer) {
        for field in Field.allCases {
            guard let text = texts[field]?.cut(toBytes: Self.longestText), !text.isEmpty else { continue }
            // What a container does not have shows when it is read again (`EncoderTrial`).
            _ = unsafe sf_set_string(file, field.code, text)
        }
        unsafe broadcast?.write(to: file)
    }

    /// Reads it from an open file.
    @unsafe init(of file: OpaquePointer) {
        self.init()
        for field in Field.allCases {
            // SAFETY: libsndfile's texts are terminated, and stay while the file is open.
            guard let text = unsafe sf_get_string(file, field.code) else { continue }
            texts[field] = unsafe String(foreign: Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
        }
        var info = SF_BROADCAST_INFO()
        let size = CInt(MemoryLayout<SF_BROADCAST_INFO>.size)
        if unsafe sf_command(file, CInt(SFC_GET_BROADCAST_INFO), &info, size) == SF_TRUE {
            broadcast = BroadcastInfo(info)
        }
    }

    /// - Parameter texts: by their names in capitals.
    init(vorbisComments texts: [String: String]) {
        self.init()
        for field in Field.allCases {
            let name = field.rawValue.uppercased().filter { $0 != " " }
            self.texts[field] = texts[name] ?? (field == .software ? texts["ENCODER"] : nil)
        }
    }

    /// What of its texts a kind of file has a part of, in words.
    ///
    /// - Parameter omitted: the fields that it does not have.
    func cuts(in container: SoundFileFormat.Container, without omitted: [String]) -> [String] {
        Field.allCases.compactMap { field in
            guard let text = texts[field], !omitted.contains(field.rawValue) else { return nil }
            if field == .date, container == .mp3, text.utf8.count > 4 { return "of its date the year alone is kept" }
            guard text.cut(toBytes: Self.longestText) != text else { return nil }
            return "its \(field.rawValue) has more than \(Self.longestText) bytes, and is cut there"
        }
    }

    /// What of it is not in `other`.
    func omissions(in other: SoundFileMetadata) -> [String] {
        let fields = Field.allCases.filter { texts[$0]?.isEmpty == false && other.texts[$0] == nil }
        return fields.map(\.rawValue) + (broadcast != nil && other.broadcast == nil ? ["broadcast information"] : [])
    }
}

extension SoundFileMetadata.Field {
    fileprivate var code: CInt {
        let code =
            switch self {
            case .title: SF_STR_TITLE
            case .artist: SF_STR_ARTIST
            case .album: SF_STR_ALBUM
            case .date: SF_STR_DATE
            case .genre: SF_STR_GENRE
            case .comment: SF_STR_COMMENT
            case .copyright: SF_STR_COPYRIGHT
            case .license: SF_STR_LICENSE
            case .software: SF_STR_SOFTWARE
            case .trackNumber: SF_STR_TRACKNUMBER
            }
        return CInt(code)
    }
}

extension BroadcastInfo {
    /// Where a file has it already, also before its first sample only.
    @unsafe func write(to file: OpaquePointer) {
        var info = info
        _ = unsafe sf_command(
            file, CInt(SFC_SET_BROADCAST_INFO), &info, CInt(MemoryLayout<SF_BROADCAST_INFO>.size))
    }

    fileprivate init(_ info: SF_BROADCAST_INFO) {
        description = text(info.description)
        originator = text(info.originator)
        originatorReference = text(info.originator_reference)
        originationDate = text(info.origination_date)
        originationTime = text(info.origination_time)
        timeReferenceFrames = UInt64(info.time_reference_high) << 32 | UInt64(info.time_reference_low)
    }

    fileprivate var info: SF_BROADCAST_INFO {
        var info = SF_BROADCAST_INFO()
        put(description, into: &info.description)
        put(originator, into: &info.originator)
        put(originatorReference, into: &info.originator_reference)
        put(originationDate, into: &info.origination_date)
        put(originationTime, into: &info.origination_time)
        info.time_reference_low = UInt32(truncatingIfNeeded: timeReferenceFrames)
        info.time_reference_high = UInt32(truncatingIfNeeded: timeReferenceFrames >> 32)
        info.version = 1
        return info
    }
}

/// Of an array of C's, up to its first NUL.
private func text<Characters: BitwiseCopyable>(_ characters: Characters) -> String {
    // SAFETY: the bytes of a value.
    unsafe withUnsafeBytes(of: characters) { unsafe String(foreign: Array($0), isFull: true) }
}

/// Cuts a text to the room that there is. It need not be terminated.
private func put<Characters: BitwiseCopyable>(_ text: String, into characters: inout Characters) {
    // SAFETY: `cut` leaves at most as many bytes as the value has.
    unsafe withUnsafeMutableBytes(of: &characters) { room in
        unsafe room.copyBytes(from: Array(text.cut(toBytes: room.count).utf8))
    }
}

extension String {
    /// The text up to its first NUL, of at most so many bytes of UTF-8, and never half of a character.
    func cut(toBytes limit: Int) -> String {
        // SAFETY: a text of C's, which ends at its first NUL.
        if utf8.count <= limit, unsafe withCString({ unsafe strlen($0) }) == utf8.count { return self }
        var count = 0
        return String(
            prefix { character in
                count += character.utf8.count
                return count <= limit && character != "\0"
            })
    }
}
