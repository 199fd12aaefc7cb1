import Foundation
import Testing

@Suite("What the command says of itself, and of words that it does not know")
struct UsageTests {
    @Test func `help names every subcommand and goes to stdout`() throws {
        let run = try CommandRun.run("--help")
        #expect(run.code == 0)
        #expect(run.out.contains("monitor") && run.out.contains("ports"))
        #expect(run.err.isEmpty)
    }

    @Test func `the version is one line`() throws {
        let run = try CommandRun.run("--version")
        #expect(run.code == 0)
        #expect(run.out.hasPrefix("iounit ") && run.out.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
        "server", "dummy", "rate", "period", "sync", "channels", "name", "gain", "drive", "shape", "bypass", "input",
        "output", "no-connect", "source", "loop", "record", "force", "seconds", "json",
    ])
    func `the help of monitor explains each option`(_ option: String) throws {
        let run = try CommandRun.run("monitor", "--help")
        #expect(run.code == 0)
        #expect(run.out.contains("--\(option)"))
    }

    @Test func `help of a subcommand wins over its other options`() throws {
        #expect(try CommandRun.run("ports", "--nonsense", "--help").code == 0)
    }

    /// Words, and what the one sentence on stderr must say.
    static let wrong: [([String], String)] = [
        ([], "--help"),
        (["monitr"], "\"monitr\"; did you mean monitor?"),
        (["xyzzy"], "\"xyzzy\"; see iounit --help"),
        (["monitor", "--gian", "3"], "--gain"),
        (["monitor", "--shap=cubic"], "--shape"),
        (["monitor", "--dummy", "tone"], "no option"),
        (["monitor", "--gain"], "needs a value"),
        (["monitor", "--json=yes"], "takes no value"),
        (["monitor", "--channels", "0"], "1 to 256"),
        (["monitor", "--channels", "-3"], "1 to 256"),
        (["monitor", "--channels", "257"], "1 to 256"),
        (["monitor", "--channels", "abc"], "1 to 256"),
        (["monitor", "--gain", "nan"], "-120 to 60"),
        (["monitor", "--gain", "1e9"], "-120 to 60"),
        (["monitor", "--drive=inf"], "-120 to 60"),
        (["monitor", "--shape", "cubik"], "cubic"),
        (["monitor", "--dummy", "--period", "0"], "16 to 8192"),
        (["monitor", "--dummy", "--period", "9000"], "16 to 8192"),
        (["monitor", "--dummy", "--rate", "0"], "1000 to 768000"),
        (["monitor", "--period", "64"], "--dummy"),
        (["monitor", "--dummy", "--server", "x"], "--server"),
        (["monitor", "--seconds", "0"], "0.01"),
        (["monitor", "--loop"], "--source"),
        (["monitor", "--dummy", "--source", "noise", "--loop"], "--source"),
        (["monitor", "--force"], "--record"),
        (["monitor", "--no-connect", "--input", "x"], "--no-connect"),
        (["monitor", "--name", "a:b", "--dummy"], "colon"),
        (["monitor", "--dummy", "--source", "tone:0"], "tone"),
        (["monitor", "--dummy", "--source", "tone:high"], "tone"),
        (["monitor", "--dummy", "--input", ""], "pattern"),
        (["help", "me"], "--help"),
        (["ports", "extra"], "no option"),
        (["--version", "more"], "--version"),
    ]

    @Test(arguments: wrong)
    func `a wrong word is named in one sentence, with what is right`(_ words: [String], _ says: String) throws {
        let run = try CommandRun(words)
        #expect(try run.end() == 64)
        #expect(run.out.isEmpty)
        #expect(run.err.hasPrefix("iounit: ") && run.err.split(separator: "\n").count == 1, "\(run.err)")
        #expect(run.err.contains(says), "\(run.err)")
    }

    @Test func `a word with control characters is shown and not obeyed`() throws {
        let run = try CommandRun.run("monitor", "--\u{1b}[31mred")
        #expect(run.code == 64)
        #expect(!run.err.contains("\u{1b}"))
    }

    @Test(arguments: [["ports"], ["monitor", "--seconds", "1"]])
    func `without a server the command says so, and how to get one`(_ words: [String]) throws {
        let run = try CommandRun(words + ["--server", "iounit-no-such-server"])
        #expect(try run.end() == 69)
        #expect(run.out.isEmpty)
        #expect(run.err.split(separator: "\n").count == 1, "libjack's own noise is not on the terminal: \(run.err)")
        #expect(run.err.contains("iounit-no-such-server") && run.err.contains("jackd"))
    }

    @Test func `without jackd a private server is refused, and the package named`() throws {
        let run = try CommandRun.run("monitor", "--dummy", "--seconds", "1", environment: ["PATH": "/nonexistent"])
        #expect(run.code == 69)
        #expect(run.err.contains("jackd2"))
    }

    @Test func `stdout closed under the results is an error`() throws {
        let full = try CommandRun.tool("sh", "-c", "'\(CommandRun.program)' --help > /dev/full")
        #expect(full.code == 74)
        #expect(full.err.contains("standard output"))
    }
}
