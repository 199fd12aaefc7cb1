/// The part of a file that is read, as often as needed.
struct FileScan {
    private static let blockFrames = 4096
    /// Of a pipe so much is waited for before it goes on: what is live must not stand still.
    private static let pipeBlocksPerSecond = 50

    private(set) var startFrame: Int
    private var count: Int?
    private let passes: Int
    private var pass = 0
    /// The beginning of the sound in a pipe, which cannot be read again.
    private var pending: PCMBuffer?
    /// What keeps the end of a pipe's sound back.
    private var hold: SilenceHold?

    init(_ input: SoundFileReader, _ startSeconds: Double, _ endSeconds: Double?, passes: Int) {
        let start = frameCount(of: startSeconds, at: input.sampleRate)
        startFrame = start
        count = endSeconds.map { max(0, frameCount(of: $0, at: input.sampleRate) - start) }
        self.passes = passes
    }

    /// - Throws: `badInput` where the file ends before the start.
    func check(_ input: SoundFileReader) throws(SoundFileError) {
        guard startFrame > 0 else { return }
        let reached = try input.seek(to: startFrame)
        if reached < startFrame || startFrame == input.frames {
            throw SoundFileError(
                .badInput, "convert", input.path, "it ends before the start that was asked for; choose an earlier one")
        }
    }

    /// Leaves out the silence at both ends. That takes a pass of its own, but of a pipe, the end of which is held back while it is
    /// read. Returns whether it was not interrupted.
    ///
    /// - Throws: `badInput` where there is no sound.
    mutating func trim(
        _ input: SoundFileReader, below decibels: Double, _ progress: (FileConversion.Progress) -> Bool
    ) throws(SoundFileError) -> Bool {
        var finder = SoundFinder(decibels)
        var found: Range<Int>?
        var offset = 0
        let isPipe = !input.isRereadable
        var rest: PCMBuffer?
        let isComplete = try run(input, progress) { block in
            if let sound = finder.sound(in: block) {
                let start = found?.lowerBound ?? offset + sound.lowerBound
                found = start..<(offset + sound.upperBound)
                if isPipe { rest = block.part(sound.lowerBound..<block.frames) }
            }
            offset += block.frames
            return isPipe && found != nil
        }
        guard isComplete else { return false }
        guard let found else {
            throw SoundFileError(
                .badInput, "convert", input.path,
                "all of it is below the level that trims it; trim below a lower level, or not at all")
        }
        startFrame += found.lowerBound
        if isPipe {
            count = count.map { $0 - found.lowerBound }
            pending = rest
            hold = SilenceHold(finder, input.exactFormat)
        } else {
            count = found.count
        }
        return true
    }

    /// Hands over the frames in their exact format; returns whether all were.
    mutating func run(
        _ input: SoundFileReader, _ progress: (FileConversion.Progress) -> Bool,
        _ take: (PCMBuffer) throws(SoundFileError) -> Void
    ) throws(SoundFileError) -> Bool {
        var hold = self.hold
        // Its blocks are its own while they are handed on.
        self.hold = nil
        defer { self.hold = hold }
        return try run(input, progress) { block throws(SoundFileError) in
            if hold == nil { try take(block) } else { try hold?.push(block, to: take) }
            return false
        }
    }

    /// Sound at the end that was held back for too long to be left out.
    var untrimmedFrames: Int { hold?.releasedFrames ?? 0 }

    /// - Parameter take: returns whether that is enough.
    private mutating func run(
        _ input: SoundFileReader, _ progress: (FileConversion.Progress) -> Bool,
        until take: (PCMBuffer) throws(SoundFileError) -> Bool
    ) throws(SoundFileError) -> Bool {
        let start = pending == nil ? try input.seek(to: startFrame) : startFrame
        let total = [count, (input.frames ?? input.estimatedFrames).map { max(0, $0 - start) }].compactMap { $0 }.min()
        var rest = count ?? Int.max
        let blockFrames =
            input.isRereadable
            ? Self.blockFrames : max(1, min(Self.blockFrames, input.sampleRate / Self.pipeBlocksPerSecond))
        var block = pending.take() ?? PCMBuffer(input.exactFormat, capacityFrames: min(rest, blockFrames))
        var isRead = block.frames > 0
        defer { pass += input.isRereadable ? 1 : 0 }
        while rest > 0 {
            if !isRead {
                if block.capacityFrames != min(rest, blockFrames) {
                    block = PCMBuffer(input.exactFormat, capacityFrames: min(rest, blockFrames))
                }
                guard try input.read(into: &block) > 0 else { break }
            }
            isRead = false
            let isEnough = try take(block)
            rest -= block.frames
            let done = input.position - start
            let share = total.map { (Double(pass) + min(1, Double(done) / Double(max(1, $0)))) / Double(passes) }
            let frames = Double(pass * (total ?? 0) + done) / Double(passes)
            if !progress(.init(share: share, seconds: frames / Double(input.sampleRate))) { return false }
            if isEnough { break }
        }
        return true
    }
}
