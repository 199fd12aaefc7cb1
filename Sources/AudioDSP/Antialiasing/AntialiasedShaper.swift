/// A waveshaper with all that it must remember: of each channel, what the filters have seen.
///
/// It remembers two settings apart, so that one can be faded to the other. Everything is allocated when it is made. A
/// signal comes out the same to the bit however it is cut into blocks.
///
/// A signal of two or four times the rate is never laid out in a row. It lies in as many *planes*, of which the first
/// holds every second or fourth sample from the first on, and so on: whatever is done to a sample is then done to eight
/// at once, and a filter's delaying branch is no more than another place to read at.
@safe package struct AntialiasedShaper: ~Copyable {
    package let instructions: InstructionSet
    private let channels: Int
    private let memory: Row<Float>
    private let workspace: Workspace
    private let filters: OversamplingFilters
    private let curve: TableCurve
    private let reference = LevelReference()
    /// Of the blocker of DC behind `asymmetric`.
    private var blockerPole = DCBlocker.pole(sampleRate: 48_000)
    private static var settings: Int { @_noLocks @_noAllocation get { 2 } }

    /// - Parameters:
    ///   - table: what the shape `table` stands for.
    ///   - instructions: one that this machine can run.
    package init(channels: Int, table: ShapeTable? = nil, instructions: InstructionSet = .best) {
        precondition(channels >= 1)
        self.channels = channels
        self.instructions = instructions
        workspace = Workspace()
        filters = OversamplingFilters()
        curve = TableCurve(table ?? .hard)
        memory = Row(zeros: Self.settings * channels * ChannelMemory.length)
    }

    /// Puts the corner of the blocker of DC where it belongs at a rate in Hz, which is 48 kHz until then. Between two
    /// blocks. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    package mutating func setSampleRate(_ sampleRate: Int) { blockerPole = DCBlocker.pole(sampleRate: sampleRate) }

    @_noLocks @_noAllocation
    private func memory(of channel: Int, _ setting: Int) -> ChannelMemory {
        precondition(channel >= 0 && channel < channels && setting >= 0 && setting < Self.settings)
        // SAFETY: checked on the line above.
        return unsafe ChannelMemory(memory.base + (setting * channels + channel) * ChannelMemory.length)
    }

    /// Clears what a setting remembers. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func clear(setting: Int) {
        for channel in 0..<channels { memory(of: channel, setting).clear() }
    }

    /// Copies what a setting remembers to the other one. Thread: audio. Wait-free.
    ///
    /// - Parameter ratio: what the blocker of DC has gathered becomes so many times as much, for a setting whose level
    ///   will be another one.
    @_noLocks @_noAllocation
    package mutating func hand(setting: Int, to other: Int, blocked ratio: Float) {
        for channel in 0..<channels {
            memory(of: channel, other).copy(from: memory(of: channel, setting), blocked: ratio)
        }
    }

    /// The gain behind a shape that undoes what drive and curve do to the level: 1 / c, where a sine with a peak of ¼
    /// (−12 dB of full scale) that is driven and shaped has c times the RMS level it had, without what is constant of
    /// `asymmetric`, which is blocked. At most 16, or 16 / drive below a drive of 1, for a table that leaves nothing of
    /// the sine; 1 for `off`. What antialiasing takes from a level is left out: at 44.1 kHz up to 0.13 dB of a square wave
    /// of 1 kHz, and 0.6 dB of one of 4 kHz. Thread: audio. Wait-free: 512 samples are shaped, which takes as long as to
    /// render them (0.1 to 0.5 µs, 1.5 µs for a table).
    @_noLocks @_noAllocation
    package mutating func makeUpGain(for shape: Shape, drive: Float) -> Float {
        if case .off = shape { return 1 }
        var isBlocked = false
        if case .asymmetric = shape { isBlocked = true }
        let sine = reference.take()
        self.shape(sine, shape, gain: Ramp(drive))
        return reference.makeUpGain(for: sine, isBlocked: isBlocked, drive: drive)
    }

    /// Multiplies each sample of a channel by the ramp's value and shapes it, in place. The samples must be finite (see
    /// `copyFinite`). A setting keeps to one way of shaping until it is cleared. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func process(_ block: Samples, channel: Int, setting: Int, _ shaping: Shaping, gain: Ramp) {
        guard case .off = shaping.antialiasing else {
            processInParts(block, memory(of: channel, setting), shaping, gain)
            if case .asymmetric = shaping.shape { memory(of: channel, setting).blockDC(block, pole: blockerPole) }
            return
        }
        switch shaping.shape {
        // First what remembers nothing: to look for a memory takes half as long as to shape 64 frames.
        case .off, .hard, .cubic, .tanh, .fold:
            if let still = StillShape(shaping, gain: gain, instructions) {
                still.apply(to: block)
            } else {
                block.applyShape(shaping.shape, gain: gain)
            }
        case .table: curve.shape(block, gain: gain)
        case .asymmetric:
            block.applyShape(.asymmetric, gain: gain)
            memory(of: channel, setting).blockDC(block, pole: blockerPole)
        }
    }

    /// The bare curve.
    @_noLocks @_noAllocation
    private mutating func shape(_ samples: Samples, _ shape: Shape, gain: Ramp) {
        if case .table = shape {
            curve.shape(samples, gain: gain)
        } else {
            samples.applyShape(shape, gain: gain)
        }
    }

    @inline(never) @_noLocks @_noAllocation
    private mutating func processInParts(_ block: Samples, _ memory: ChannelMemory, _ shaping: Shaping, _ gain: Ramp) {
        var gain = gain
        var start = 0
        while start < block.count {
            let part = block.slice(from: start, count: min(Workspace.frames, block.count - start))
            let input = workspace.run(.input, count: part.count)
            memory.recall(shaping, in: workspace)
            input.copy(from: part)
            input.applyGain(gain)
            switch (shaping.antialiasing.oversampling, shaping.phase) {
            case (1, _): shape(shaping, from: .single, to: (.output, .output, .output, .output), part.count)
            case (2, .linear): oversampleTwice(shaping, part.count)
            case (2, .minimum): oversampleTwice(shaping, memory, part.count)
            case (_, .linear): oversampleFourTimes(shaping, part.count)
            case (_, .minimum): oversampleFourTimes(shaping, memory, part.count)
            }
            memory.keep(shaping, of: workspace, count: part.count)
            part.copy(from: workspace.run(.output, count: part.count))
            gain.advance(by: part.count)
            start += part.count
        }
    }

    /// Puts what lies in `views` through the curve, into as many planes.
    @_noLocks @_noAllocation
    private mutating func shape(
        _ shaping: Shaping, from views: Views, to planes: (Plane, Plane, Plane, Plane), _ count: Int
    ) {
        // The sample before the first plane's is the last plane's of the frame before.
        var before = views.last - 1
        shape(shaping, before, views.first, planes.0, count)
        guard views.count > 1 else { return }
        before = views.first
        shape(shaping, before, views.second, planes.1, count)
        guard views.count > 2 else { return }
        shape(shaping, views.second, views.third, planes.2, count)
        shape(shaping, views.third, views.last, planes.3, count)
    }

    /// Out of line: there are many shapes, and ten places that this is called from.
    @inline(never) @_noLocks @_noAllocation
    private mutating func shape(_ shaping: Shaping, _ previous: Int, _ current: Int, _ plane: Plane, _ count: Int) {
        // Whole vectors: nothing reads the samples behind the end again.
        let length = (count + Vector.scalarCount - 1) & ~(Vector.scalarCount - 1)
        let target = workspace.run(plane, count: length)
        let source = workspace.run(at: current, count: length)
        guard shaping.antialiasing.usesAntiderivative else {
            target.copy(from: source)
            return shape(target, shaping.shape, gain: Ramp(1))
        }
        let before = workspace.run(at: previous, count: length)
        if case .table = shaping.shape {
            curve.mean(target, from: before, to: source)
        } else {
            target.mean(shaping.shape, from: before, to: source, instructions)
        }
    }

    @_noLocks @_noAllocation
    private mutating func oversampleTwice(_ shaping: Shaping, _ count: Int) {
        let all = workspace.all
        all.filter(filters.raiseFirst, to: Plane.doubled0.start, count: count, instructions)
        shape(shaping, from: .twofold, to: (.shaped0, .shaped1, .shaped0, .shaped1), count)
        all.halveBand(filters.lowerToEven, to: Plane.output.start, count: count, instructions)
    }

    @_noLocks @_noAllocation
    private mutating func oversampleFourTimes(_ shaping: Shaping, _ count: Int) {
        let all = workspace.all
        all.filter(filters.raiseFirst, to: Plane.doubled0.start, count: count, instructions)
        all.filter(filters.raiseEven, to: Plane.fourfold0.start, count: count, instructions)
        all.filter(filters.raiseOdd, to: Plane.fourfold2.start, count: count, instructions)
        shape(
            shaping, from: .fourfold, to: (.fourfoldShaped0, .fourfoldShaped1, .fourfoldShaped2, .fourfoldShaped3),
            count)
        all.halveBand(filters.halveEven, to: Plane.shaped0.start, count: count, instructions)
        all.halveBand(filters.halveOdd, to: Plane.shaped1.start, count: count, instructions)
        all.halveBand(filters.lowerToOdd, to: Plane.output.start, count: count, instructions)
    }

    @_noLocks @_noAllocation
    private mutating func oversampleTwice(_ shaping: Shaping, _ memory: ChannelMemory, _ count: Int) {
        raiseFirst(memory, count)
        shape(shaping, from: .minimumTwofold, to: (.shaped0, .shaped1, .shaped0, .shaped1), count)
        lowerFirst(memory, count)
    }

    @_noLocks @_noAllocation
    private mutating func oversampleFourTimes(_ shaping: Shaping, _ memory: ChannelMemory, _ count: Int) {
        raiseFirst(memory, count)
        memory.branches(.raiseSecond, of: filters).raise(
            even: workspace.run(.doubled0, count: count), odd: workspace.run(.doubled1, count: count),
            to: (
                workspace.run(.fourfold0, count: count), workspace.run(.fourfold1, count: count),
                workspace.run(.fourfold2, count: count), workspace.run(.fourfold3, count: count)
            ))
        shape(
            shaping, from: .minimumFourfold,
            to: (.fourfoldShaped0, .fourfoldShaped1, .fourfoldShaped2, .fourfoldShaped3), count)
        memory.branches(.lowerSecond, of: filters).lower(
            (
                workspace.run(.fourfoldShaped0, count: count), workspace.run(.fourfoldShaped1, count: count),
                workspace.run(.fourfoldShaped2, count: count), workspace.run(.fourfoldShaped3, count: count)
            ),
            toEven: workspace.run(.shaped0, count: count), odd: workspace.run(.shaped1, count: count))
        lowerFirst(memory, count)
    }

    @_noLocks @_noAllocation
    private mutating func raiseFirst(_ memory: ChannelMemory, _ count: Int) {
        memory.branches(.raiseFirst, of: filters).raise(
            workspace.run(.input, count: count), even: workspace.run(.doubled0, count: count),
            odd: workspace.run(.doubled1, count: count))
    }

    @_noLocks @_noAllocation
    private mutating func lowerFirst(_ memory: ChannelMemory, _ count: Int) {
        memory.branches(.lowerFirst, of: filters).lower(
            even: workspace.run(.shaped0, count: count), odd: workspace.run(.shaped1, count: count),
            to: workspace.run(.output, count: count))
    }
}
