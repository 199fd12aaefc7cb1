/// What a control stands at, or is set to.
enum ControlValue: Equatable, Sendable {
    /// In the control's unit.
    case number(Double)
    /// One of the control's words.
    case choice(String)
    case flag(Bool)
    /// An action has no value: to set it is to do it.
    case action
}

/// Who changes a control.
enum ControlOrigin: Sendable {
    case key
    case page
    case osc
    case midi
    /// A session that is opened.
    case session

    /// Whether a change comes as a row of small steps, as of a fader that is moved.
    var isContinuous: Bool {
        switch self {
        case .page, .osc, .midi: true
        case .key, .session: false
        }
    }
}
