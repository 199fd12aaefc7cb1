/// The part of a file that is read, once or twice.
struct FileScan {
    private static let blockFrames = 4096
    /// Of a pipe so much is waited for before it goes on: what is live must not stand still.
    private static let pipeBlocksPerSecond = 50
    let startFrame: Int
    private let count: Int?
    private let passes: Int

    init(_ input: SoundFileReader, _ startSeconds: Double, _ endSeconds: Double?, passes: Int) {
        func frame(_ seconds: Double) -> Int { Int((max(0, min(seconds, 1e9)) * Double(input.sampleRate)).rounded()) }
        let start = frame(startSeconds)
        startFrame = start
        count = endSeconds.map { max(0, frame($0) - start) }
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

    /// Hands over the frames in their exact format; returns whether all were.
    func run(
        _ input: SoundFileReader, pass: Int, _ progress: (FileConversion.Progress) -> Bool,
        _ take: (PCMBuffer) throws(SoundFileError) -> Void
    ) throws(SoundFileError) -> Bool {
        let start = try input.seek(to: startFrame)
        let total = [count, (input.frames ?? input.estimatedFrames).map { max(0, $0 - start) }].compactMap { $0 }.min()
        var rest = count ?? Int.max
        let blockFrames =
            input.isRereadable
            ? Self.blockFrames : max(1, min(Self.blockFrames, input.sampleRate / Self.pipeBlocksPerSecond))
        var block = PCMBuffer(input.exactFormat, capacityFrames: blockFrames)
        while rest > 0 {
            if rest < blockFrames { block = PCMBuffer(input.exactFormat, capacityFrames: rest) }
            guard try input.read(into: &block) > 0 else { break }
            try take(block)
            rest -= block.frames
            let done = input.position - start
            let share = total.map { (Double(pass) + min(1, Double(done) / Double(max(1, $0)))) / Double(passes) }
            let frames = Double(pass * (total ?? 0) + done) / Double(passes)
            if !progress(.init(share: share, seconds: frames / Double(input.sampleRate))) { return false }
        }
        return true
    }
}
