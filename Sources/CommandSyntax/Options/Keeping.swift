/// What becomes of an option where options are kept: in the user's settings, in presets, in sessions.
package enum Keeping: Sendable {
    /// It is kept as it was given.
    case setting
    /// It is kept, and names a file, which a session names from the root: it may begin in another folder.
    ///
    /// - Parameter parts: of a value, what stands before the path, and the path; `nil` where it has none.
    case path(_ parts: @Sendable (String) -> (before: String, path: String)?)
    /// The place of a secret is kept, as `file:PATH`, and not the secret.
    case secret
    /// It is of one run: settings and presets may have it, and a session has not.
    case run
    /// It says which settings hold, or asks for help.
    case nowhere
}

extension Keeping {
    /// The value is a path.
    package static let file = path { ("", $0) }

    /// The value is a path behind `file:` or `file://`, or something else.
    package static let fileAddress = path { value in
        ["file://", "file:"].first { value.hasPrefix($0) }.map { ("file:", String(value.dropFirst($0.count))) }
    }

    /// What stands for a value says what it is.
    init(placeholder: String) {
        switch placeholder {
        case "FILE", "PATH": self = .file
        case Secrets.placeholder: self = .secret
        default: self = .setting
        }
    }
}

extension Option {
    package func kept(_ keeping: Keeping) -> Option { changed { $0.keeping = keeping } }

    /// Whether settings and presets may have it.
    package var isSetting: Bool { if case .nowhere = keeping { false } else { true } }

    package var isOfSession: Bool { if case .run = keeping { false } else { isSetting } }

    /// A value of it with the path in it from the root.
    ///
    /// - Parameter folder: in which the path was given.
    package func absolute(_ value: String, in folder: String) -> String {
        let parts: (before: String, path: String)? =
            switch keeping {
            case .path(let parts): parts(value)
            case .secret:
                value.hasPrefix(Secrets.file) ? (Secrets.file, String(value.dropFirst(Secrets.file.count))) : nil
            case .setting, .run, .nowhere: nil
            }
        guard let parts, !parts.path.hasPrefix("/") else { return parts.map { $0.before + $0.path } ?? value }
        return "\(parts.before)\(folder)/\(parts.path)"
    }
}
