import CJack

/// Runs `body` as on the audio thread: where the real-time sanitizer is linked, whatever blocks or allocates in it
/// ends the process with a report. Elsewhere it is a plain call.
func realtime<Result>(_ body: () -> Result) -> Result {
    cjack_realtime_enter()
    defer { cjack_realtime_exit() }
    return body()
}

enum RealtimeSanitizer {
    static var isLinked: Bool { cjack_realtime_sanitizer_is_linked() != 0 }
}
