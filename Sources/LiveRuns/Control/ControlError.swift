import AudioReports

/// Why a control was not changed, as one sentence.
package enum ControlError: Error, CustomStringConvertible {
    case unknown(String, near: String?)
    case wrongValue(String, takes: String)
    /// It cannot be done now.
    case refused(String, reason: String)

    package var description: String {
        switch self {
        case .unknown(let name, let near):
            "there is no control \"\(shown(name))\"" + (near.map { "; did you mean \($0)?" } ?? "")
        case .wrongValue(let name, let takes): "\(name) takes \(takes)"
        case .refused(let name, let reason): "\(name) cannot be set now: \(reason)"
        }
    }
}
