package enum ControlOrigin: Sendable {
    case key
    case page
    case osc
    case midi

    /// Whether a change comes as a row of small steps, as of a fader that is moved.
    var isContinuous: Bool { self != .key }
}
