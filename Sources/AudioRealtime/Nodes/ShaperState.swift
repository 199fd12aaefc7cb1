import AudioDSP

/// A shaper node on the audio thread: a chain, and the parameters on their way to it. However many changes are made between
/// two blocks, the chain sets out once.
package struct ShaperState: ~Copyable {
    // First, so that what each block looks at lies side by side.
    private var news: MailboxReader<ShaperSetting>
    package private(set) var chain: Chain

    package init(_ chain: consuming Chain, news: consuming MailboxReader<ShaperSetting>) {
        self.chain = chain
        self.news = news
    }

    /// Takes the newest parameters over at once and clears the filters. Thread: control, while nothing is processed.
    package mutating func reset(rampFrames: Int, sampleRate: Int) {
        chain.reset(parameters: news.take() ?? chain.parameters, rampFrames: rampFrames, sampleRate: sampleRate)
    }

    /// See `Chain.changeRate`. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func changeRate(to sampleRate: Int) { chain.changeRate(to: sampleRate) }

    /// See `Chain.process`. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func process(_ planes: borrowing Planes, _ bundle: Bundle, frames: Int) -> Bool {
        if news.hasNewRealtime(), let parameters = news.takeRealtime() { chain.change(to: parameters) }
        return chain.process(planes, bundle, frames: frames)
    }
}
