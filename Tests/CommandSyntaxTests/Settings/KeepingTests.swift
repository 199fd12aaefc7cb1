import Testing

@testable import CommandSyntax
@testable import LiveCommands
@testable import iounit

@Suite("How options are kept")
struct KeepingTests {
    private static let syntaxes = Command.subcommands.map(\.syntax)

    private func names(_ options: [Option], _ isWanted: (Option) -> Bool) -> Set<String> {
        Set(options.filter(isWanted).map(\.name))
    }

    @Test func `what asks for help, or says which settings hold, is no setting`() {
        for syntax in Self.syntaxes {
            let all: Set = syntax.takesSettings ? ["help", "preset", "no-config"] : ["help"]
            #expect(names(syntax.options) { !$0.isSetting } == all, "\(syntax.name)")
            #expect(syntax.option("help")?.short == "h", "\(syntax.name)")
        }
    }

    @Test func `of tokens and passwords the place is kept alone`() {
        let secrets = names(Self.syntaxes.flatMap(\.options)) { if case .secret = $0.keeping { true } else { false } }
        #expect(secrets == ["token", "password", "page-token"])
        for name in secrets {
            let option = Option(name, Secrets.placeholder, "")
            #expect(Secrets.reason(option, "geheim") != nil)
            #expect(Secrets.reason(option, "file:a") == nil && Secrets.reason(option, "env:A") == nil)
        }
        #expect(Secrets.reason(Option("title", "TEXT", ""), "geheim") == nil)
    }

    @Test func `a session has all but what is of one run`() {
        let dropped = [
            "name", "record", "force", "gaps", "on-rate-change", "seconds", "json", "help", "preset", "no-config",
        ]
        for syntax in SessionCommand.syntaxes {
            // A run that goes by no clock is one run.
            let more = syntax.option("freewheel").map { [$0.name] } ?? []
            #expect(names(syntax.options) { !$0.isOfSession } == Set(dropped + more), "\(syntax.name)")
        }
    }

    @Test func `a session names files from the root`() {
        for syntax in SessionCommand.syntaxes {
            let kept = syntax.options.filter(\.isOfSession)
            let files = names(kept) { $0.absolute("a", in: "/w") == "/w/a" }
            #expect(files == ["shape-table", "source", "tls-cert", "tls-key", "tls-ca", "sdp"], "\(syntax.name)")
            let addresses = names(kept) { $0.absolute("file:a", in: "/w") == "file:/w/a" }
            #expect(addresses == ["send", "token", "password", "page-token"], "\(syntax.name)")
            #expect(kept.allSatisfy { $0.absolute("/a", in: "/w") == "/a" })
        }
    }
}
