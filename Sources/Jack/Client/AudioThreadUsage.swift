import Threads

extension ActiveClient {
    /// What the audio thread has cost so far, or `nil` where it does not run yet. Thread: control.
    public var audioThreadUsage: ThreadUsage? { ThreadUsage(thread: view.hub.audioThread.load(ordering: .relaxed)) }
}
