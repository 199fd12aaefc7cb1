import AudioRecording
import CommandSyntax

/// `--source` and `--loop`: a sound in the place of the inputs.
package struct SourceOptions {
    /// - Parameter usual: what it is where it is not given, in brackets.
    package static func options(usual: String = "") -> [Option] {
        [sound(usual).option, loop]
    }

    private static func sound(_ usual: String = "") -> TypedOption<SourceKind?> {
        TypedOption(
            Option(
                "source", "SOUND",
                "feed the inputs with a file, or with tone, tone:HZ, noise or silence; a file ends the run when it has been "
                    + "played\(usual)"
            )
            .kept(.path { (try? SourceKind(word: $0))?.isFile == true ? ("", $0) : nil })
        ) { word, _ throws(Failure) in
            do {
                return try word.map { try SourceKind(word: $0) }
            } catch {
                throw Failure(.usage, "--source: \(error)", of: "source")
            }
        }
    }

    private static let loop = Option(flag: "loop", "play the source's file again and again").needs(["source"])
        .refused(beside: ["source"]) { arguments in
            (try? arguments.value(of: sound()))?.isFile ?? true ? nil : "needs a file to play: --source FILE"
        }

    package let kind: SourceKind
    let loops: Bool

    /// - Parameter usual: where `--source` is not given.
    /// - Returns: `nil` where there is none.
    package init?(_ arguments: Arguments, usual: SourceKind? = nil) throws(Failure) {
        loops = arguments.has(Self.loop)
        guard let kind = try arguments.value(of: Self.sound()) ?? usual else { return nil }
        self.kind = kind
    }

    package var ends: Bool { kind.isFile && !loops }

    /// - Throws: `usage` for a tone that the rate does not permit; as `Source`.
    func open(sampleRate: Int, channels: Int) throws -> Source {
        do {
            return try Source(kind, sampleRate: sampleRate, channels: channels, loop: loops)
        } catch {
            // It is a wrong word and no bad file.
            if case .tone = kind { throw Failure(.usage, "--source: \(error)", of: "source") }
            throw error
        }
    }
}

extension SourceKind {
    /// Whether it is a file, and no sound that is made here.
    fileprivate var isFile: Bool { if case .file = self { true } else { false } }
}
