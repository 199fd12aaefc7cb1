import AudioReports
import AudioStreaming
import CommandSyntax
import Threads

/// Where a token or password is read from: never from the command line itself, which everybody on the machine can read.
package enum SecretSource: Equatable {
    /// The first line of a file or pipe.
    case file(String)
    /// A variable of the environment.
    case variable(String)

    /// An option that names it; `nil` where there is none. What was given is not repeated, as it may be the secret itself.
    ///
    /// - Parameters:
    ///   - variable: of the environment, that is looked at where the option is not given.
    ///   - otherwise: what holds where that is not set either; `more`: what is said behind all.
    package static func option(
        _ name: String, variable: String, _ help: String, otherwise: String = "", more: String = ""
    ) -> TypedOption<SecretSource?> {
        let forms = "file:PATH, whose first line has it, or env:NAME, a variable (env:\(variable)\(otherwise))"
        return TypedOption(Option(name, Secrets.placeholder, "\(help): \(forms)\(more)")) {
            word, arguments throws(Failure) in try read(word, name, variable, arguments)
        }
    }

    private static func read(
        _ word: String?, _ name: String, _ variable: String, _ arguments: Arguments
    ) throws(Failure) -> SecretSource? {
        guard let word else {
            let isSet = Environment[variable].map { !$0.isEmpty } ?? false
            return isSet ? .variable(variable) : nil
        }
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let isWhole = parts.count == 2 && !parts[1].isEmpty && !parts[1].utf8.contains(0)
        switch parts[0] {
        case "file" where isWhole: return .file(parts[1])
        case "env" where isWhole: return .variable(parts[1])
        default:
            throw arguments.usage(
                "--\(name) takes file:PATH or env:NAME, because others on this machine can read what is on a command "
                    + "line", of: name)
        }
    }

    /// Where it is, as a message names it.
    var place: String {
        switch self {
        case .file(let path): shown(path)
        case .variable(let name): "the variable \(shown(name))"
        }
    }

    /// What it says.
    ///
    /// - Throws: `noInput` where there is nothing to read; `usage` for what cannot be a secret.
    package func read() throws(Failure) -> Secret {
        switch self {
        case .variable(let name):
            guard let text = Environment[name], !text.isEmpty else {
                throw Failure(.noInput, "the environment has no variable \(shown(name)) with a token or password in it")
            }
            return try Self.secret(text, place)
        case .file(let path):
            let bytes: [UInt8]
            do throws(FileError) {
                bytes = try SmallFile.awaitedBytes(path, limit: 4096)
            } catch {
                throw Failure(.noInput, "there is no token or password: \(shown(error.description))")
            }
            let line = String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }
            return try Self.secret(String(line), "the first line of \(shown(path))")
        }
    }

    private static func secret(_ text: String, _ place: String) throws(Failure) -> Secret {
        do {
            return try Secret(text)
        } catch {
            throw Failure(.usage, "\(place) cannot be a token or password: \(error.reason)")
        }
    }
}
