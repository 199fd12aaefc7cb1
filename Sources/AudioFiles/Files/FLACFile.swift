import CSndFile
import Glibc

/// The samples of a FLAC file as if they had no header, so that libsndfile reads them like any others.
///
/// Each keeps its time: damaged ones are silence, as long as the frames behind them say, and counted.
///
/// Thread: one at a time, any that may block.
@safe final class FLACFile: VirtualFile {
    let header: FLACFrames.Header
    /// By the names of Vorbis comments, in capitals.
    var texts: [String: String] { frames.texts }
    /// What it has of all names, and as pictures; of a pipe maybe 0 of these, as its beginning may be gone.
    var counts: (texts: Int, pictures: Int) { (frames.textCount, frames.pictures) }
    /// Whether it is in the pages of Ogg.
    var isOgg: Bool { frames.isOgg }
    /// How far the frames of the file go, as far as that is known.
    private(set) var endFrame = 0
    /// Whether its end is missing. Only for a file whose header does not tell its length.
    private(set) var isCut = false

    /// Smaller than any frame: two bytes each of sync, of a subframe and of the check, and four for what they are.
    private static let smallestFrame = 10
    /// In less than so many bytes of file a place is looked for frame by frame.
    private static let searchBytes = 65536

    private let frames: FLACFrames
    private let descriptor: CInt
    /// The number of the first frame: a part of a stream counts from where it was cut out.
    private var originNumber = 0
    /// The number that the first frame would have, as those count that are read at present.
    private var firstNumber = 0
    /// Whether the frame numbers restart somewhere in the file, for example because files were concatenated.
    private var isRenumbered = false
    /// Frames until the end of those that were read from the file, and the byte where these end.
    private var readFrame = 0
    private var readByte = 0
    /// What is next, of which the silence comes first.
    private var silentSamples = 0
    private var ready: ArraySlice<Int32> = []
    private var damage: Damage?
    private var change: (frame: Int, header: FLACFrames.Header)?
    /// What lies before was looked at already.
    private var judgedFrame = 0

    private struct Damage {
        var frame: Int
        var silentFrames = 0
        var places = 0
    }

    /// - Parameter input: its descriptor becomes this object's, which closes it, unless the result is `nil`: it is no FLAC
    ///   file. Of a pipe the first bytes have been read then.
    init?(_ input: SoundFileInput) {
        let descriptor = input.descriptor
        guard let bytes: any FileBytes = input.isPipe ? PipedBytes(descriptor) : RegularBytes(descriptor),
            let frames = FLACFrames(bytes), let header = frames.header, header.sampleRate > 0
        else { return nil }
        self.frames = frames
        self.header = header
        self.descriptor = descriptor
        super.init()
        start(at: frames.firstByte)
        if !input.isPipe {
            endFrame = lastFrame()
            start(at: frames.firstByte)
        }
    }

    deinit { close(descriptor) }

    // The samples as libsndfile sees them: of 32 bits, without a header, and without an end that is known.

    private static let endlessBytes = 1 << 52
    private var frameBytes: Int { 4 * header.channels }

    override var end: Int { Self.endlessBytes }

    override func canSeek(to place: Int) -> Bool {
        if place == position { return true }
        guard place % frameBytes == 0 else { return false }
        if seek(to: place / frameBytes) { return true }
        // libsndfile reads on from where it was.
        _ = seek(to: position / frameBytes)
        return false
    }

    @unsafe override func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let target = room.baseAddress else { return 0 }
        let count = room.count / 4
        var done = 0
        while done < count {
            // SAFETY: there is room for `count` samples.
            let place = unsafe target + 4 * done
            if silentSamples > 0 {
                let silent = min(silentSamples, count - done)
                unsafe memset(place, 0, 4 * silent)
                silentSamples -= silent
                done += silent
            } else if !ready.isEmpty {
                let part = ready.prefix(count - done)
                unsafe part.withUnsafeBytes {
                    unsafe place.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count)
                }
                ready = ready.dropFirst(part.count)
                done += part.count
            } else if !readNext() {
                break
            }
        }
        return 4 * done
    }

    /// Opens it for libsndfile, which must be closed while this is there.
    ///
    /// - Parameter facts: becomes what the file is.
    func open(_ facts: inout SF_INFO) -> OpaquePointer? {
        facts = SF_INFO(
            sampleRate: header.sampleRate, channels: header.channels, code: SampleFormat.int32.headerlessCode)
        let file = unsafe openVirtual(SFM_READ, &facts)
        let samples =
            switch header.bits {
            case ...8: SF_FORMAT_PCM_S8
            case ...16: SF_FORMAT_PCM_16
            case ...24: SF_FORMAT_PCM_24
            default: SF_FORMAT_PCM_32
            }
        facts.format = CInt(SF_FORMAT_FLAC | samples)
        facts.frames = header.totalFrames.map(Int64.init) ?? Int64.max
        return unsafe file
    }

    /// What is wrong, as far as it was read.
    var flaws: [SoundFileFlaw] {
        var flaws: [SoundFileFlaw] = []
        if let damage {
            flaws.append(
                .damaged(frame: damage.frame, silentFrames: damage.silentFrames, places: damage.places))
        }
        if let change {
            let (rate, channels, bits) = (change.header.sampleRate, change.header.channels, change.header.bits)
            flaws.append(.changed(frame: change.frame, sampleRate: rate, channels: channels, bits: bits))
        }
        if frames.isChained { flaws.append(.chained(frame: endFrame)) }
        if isLonger, let promised = header.totalFrames { flaws.append(.moreFrames(promised: promised)) }
        return flaws
    }

    /// Whether the file goes on behind the end that its header names.
    var isLonger: Bool { header.totalFrames.map { endFrame > $0 } ?? false }
    /// Whether a read of the file failed.
    var hasFailed: Bool { frames.hasFailed }
    /// Whether it ends before.
    var isShorter: Bool { header.totalFrames.map { endFrame < $0 } ?? false }
}

// Reading.
extension FLACFile {
    /// Reads on from a byte: the first, or one among frames whose numbers go on from there.
    private func start(at byte: Int) {
        frames.place(at: byte)
        // A seek judges no frame on its way. As long as nothing was found, nothing is counted twice.
        if damage == nil, change == nil { judgedFrame = 0 }
        (frames.hasMetDamage, frames.misfit) = (false, nil)
        (ready, silentSamples, readFrame, readByte) = ([], 0, 0, byte)
        firstNumber = 0
        guard let first = frames.next() else { return }
        if byte == frames.firstByte {
            originNumber = frames.hasMetDamage || frames.misfit != nil ? 0 : first.number
        } else {
            readFrame = max(0, first.number - originNumber)
            (frames.hasMetDamage, frames.misfit) = (false, nil)
        }
        firstNumber = originNumber
        take(first)
    }

    /// Drops what was read, and reads one frame more, and the hole before it.
    private func readNext() -> Bool {
        (ready, silentSamples) = ([], 0)
        let next = frames.next()
        if let next {
            take(next)
            return true
        }
        noteChange()
        noteEnd(behind: readByte)
        return false
    }

    private func take(_ found: FLACFrames.Frame) {
        let hole = found.number - firstNumber - readFrame
        // Of a number that is wrong no more silence comes than of frames that could have been in those bytes.
        let most = (found.endByte - readByte) / Self.smallestFrame * header.largestBlock
        let silence = (0...max(0, most)).contains(hole) ? hole : 0
        noteChange()
        if hole != 0, readFrame >= judgedFrame {
            damage = damage ?? Damage(frame: readFrame)
            damage?.silentFrames += silence
            damage?.places += 1
        }
        if hole != silence {
            firstNumber = found.number - readFrame
            isRenumbered = true
        }
        silentSamples = silence * header.channels
        ready = frames.samples[...]
        readFrame += silence + found.count
        readByte = found.endByte
        endFrame = max(endFrame, readFrame)
        judgedFrame = max(judgedFrame, readFrame)
        frames.hasMetDamage = false
    }

    private func noteEnd(behind byte: Int) {
        isCut = header.totalFrames == nil && frames.isCut(behind: byte)
    }

    private func noteChange() {
        if let misfit = frames.misfit, readFrame >= judgedFrame { change = change ?? (readFrame, misfit) }
        frames.misfit = nil
    }

    /// How far the file goes, as the last frame in it says.
    private func lastFrame() -> Int {
        var span = Self.searchBytes
        while true {
            let byte = max(frames.firstByte, frames.length - span)
            var (end, endByte): (Int?, Int) = (nil, byte)
            frames.place(at: byte)
            while let found = frames.next() {
                end = found.number - originNumber + found.count
                endByte = found.endByte
            }
            if let end {
                noteEnd(behind: endByte)
                return max(0, end)
            }
            guard byte > frames.firstByte else { return 0 }
            span *= 2
        }
    }

    /// Whether there is such a frame, or it is the one behind the last.
    private func seek(to frame: Int) -> Bool {
        var (low, high) = (frames.firstByte, frames.length)
        while frame > 0, !isRenumbered, high - low > Self.searchBytes {
            let middle = low + (high - low) / 2
            frames.place(at: middle)
            if let found = frames.next(), found.number - originNumber <= frame { low = middle } else { high = middle }
        }
        start(at: low)
        while readFrame <= frame, readNext() {}
        guard readFrame > frame else { return readFrame == frame }
        let surplus = (readFrame - frame) * header.channels
        silentSamples = max(0, surplus - ready.count)
        ready = ready.suffix(surplus)
        return true
    }
}
