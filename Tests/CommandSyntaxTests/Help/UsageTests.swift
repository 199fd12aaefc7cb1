import AudioDSP
import CommandTestSupport
import Foundation
import Testing

@Suite("What the command says of itself, and of words that it does not know")
struct UsageTests {
    @Test func `a report goes to a file, and the standard output is none`() throws {
        let run = try CommandRun.run("jitter", "--dummy", "--html", "-")
        #expect(run.code == 64 && run.err.contains("--html writes a file, and not the standard output"), "\(run.err)")
    }

    @Test func `help names every subcommand and goes to stdout`() throws {
        let run = try CommandRun.run("--help")
        #expect(run.code == 0)
        #expect(run.out.contains("monitor") && run.out.contains("ports"))
        #expect(run.err.isEmpty)
    }

    @Test(arguments: [["--version"], ["-V"], ["version"]])
    func `the version is one line`(_ words: [String]) throws {
        let run = try CommandRun(words)
        #expect(try run.end() == 0)
        #expect(run.out.hasPrefix("iounit ") && run.out.split(separator: "\n").count == 1)
    }

    @Test func `without a word the overview is shown, as a result`() throws {
        let run = try CommandRun.run()
        #expect(run.code == 0 && run.err.isEmpty)
        #expect(try run.out == CommandRun.run("--help").out)
    }

    @Test(arguments: [["help", "help"], ["help", "--help"], ["help", "-h"], ["help", "version"], ["-h", "--help"]])
    func `help on the help is the overview`(_ words: [String]) throws {
        let run = try CommandRun(words)
        #expect(try run.end() == 0)
        #expect(try run.out == CommandRun.run("--help").out)
    }

    @Test func `help of a subcommand is its help, also where both words for help are there`() throws {
        #expect(try CommandRun.run("help", "monitor", "--help").out == CommandRun.run("monitor", "--help").out)
    }

    @Test(arguments: [("on", "in place"), ("off", "left out (IOUNIT_JACK_GUARD=off)")])
    func `the version at length says whether the guard against libjack is in place`(wish: String, state: String) throws
    {
        let run = try CommandRun.run("--version", "--verbose", environment: ["IOUNIT_JACK_GUARD": wish])
        #expect(run.code == 0)
        #expect(run.out.contains("\nguard \(state)\n"))
    }

    @Test func `the version at length names the instructions that were chosen`() throws {
        let run = try CommandRun.run("--version", "--verbose")
        #expect(run.code == 0)
        #expect(run.out.contains("\ninstructions \(InstructionSet.best.name)\n") && run.out.contains("\nlibjack "))
    }

    /// What the help of a subcommand must name.
    private struct Explained: CustomTestStringConvertible {
        var name: String
        /// Behind the name, in the line of the usage.
        var usage: String
        /// In words.
        var options: String
        var words: [String] = []

        var testDescription: String { name }

        static let measurement =
            "seconds warmup limit json html hgrm csv junit dummy channels "
        static let all = [
            Explained(
                name: "monitor", usage: "[options]",
                options:
                    "server dummy rate period sync channels name gain drive shape shape-table antialias phase bypass input output "
                    + "follow-routes no-connect source loop record force loudness seconds json send codec bitrate frame fec stream-rate "
                    + "sdp serve page-token control tls-cert tls-key osc midi midi-port voice voice-options far"),
            Explained(
                name: "serve", usage: "[options]",
                options: "port listen page-token control tls-cert tls-key gain source record",
                words: ["/stream.opus", "/status.json", "/metrics", "/healthz"]),
            Explained(
                name: "jitter", usage: "[options]", options: measurement + "cycles baseline blame from calibrate",
                words: ["iounit help figures"]),
            Explained(
                name: "compare", usage: "[options]",
                options: measurement + "queue queue-buffers queue-format queue-realtime sequential preset from",
                words: ["iounit help figures"]),
            Explained(
                name: "diff", usage: "A B [C]... [options]", options: "fail-if json html markdown help"),
            Explained(name: "history", usage: "FOLDER [options]", options: "figures html markdown openmetrics"),
            Explained(name: "info", usage: "FILE... [options]", options: "peaks loudness json help"),
            Explained(
                name: "receive", usage: "ORIGIN [options]",
                options:
                    "rate buffer codec stream-rate stream-channels token tls-ca record force channels name output gain "
                    + "follow-routes no-connect seconds reconnect reconnect-limit json help",
                words: ["rtp://", "ws://", "SDP"]),
            Explained(
                name: "send", usage: "TARGET... [options]",
                options:
                    "rate codec bitrate frame fec stream-rate token password stream-title stream-description stream-genre tls-ca "
                    + "sdp force channels name input output gain follow-routes no-connect seconds reconnect reconnect-limit json help",
                words: ["ws://", "wss://", "icecast://", "tcp://", "rtp://", "file:"]),
            Explained(
                name: "beat", usage: "[FILE] [options]",
                options: "dummy channels name input output gain seconds reconnect json help"),
            Explained(
                name: "tune", usage: "[FILE] [options]",
                options: "dummy channels input gain a4 seconds reconnect json help"),
            Explained(
                name: "picture", usage: "FILE [options]", options: "output waveform spectrogram size dark force help"),
        ]
    }

    @Test(arguments: Explained.all)
    private func `the help of a subcommand names what it reads and explains each option`(
        _ wanted: Explained
    ) throws {
        let run = try CommandRun.run(wanted.name, "--help")
        #expect(run.code == 0 && run.out.contains("usage: iounit \(wanted.name) \(wanted.usage)"), "\(run.out)")
        for option in wanted.options.split(separator: " ") { #expect(run.out.contains(" --\(option)"), "\(option)") }
        for word in wanted.words { #expect(run.out.contains(word), "\(word)") }
        #expect(try CommandRun.run("--help").out.contains("  \(wanted.name) "))
    }

    @Test func `help of a subcommand wins over its other options`() throws {
        #expect(try CommandRun.run("ports", "--nonsense", "--help").code == 0)
    }

    @Test func `behind -- help is a file as any other`() throws {
        let run = try CommandRun.run("info", "--", "--help")
        #expect(run.code == 66 && run.out.isEmpty && run.err.contains("--help"), "\(run.err)")
    }

    /// Words, and what the one sentence on stderr must say.
    static let wrong: [([String], String)] = [
        (["monitr"], "\"monitr\"; did you mean monitor?"),
        (["xyzzy"], "\"xyzzy\"; see iounit --help"),
        (["help", "plug-ins"], "no help on \"plug-ins\"; did you mean plugins?"),
        (["help", "netjack2"], "did you mean netjack?"),
        (["help", "exit"], "did you mean exit-codes?"),
        (["help", "exitcodes"], "did you mean exit-codes?"),
        (["help", "xyzzy"], "see iounit help topics"),
        (["monitor", "--gian", "3"], "--gain"),
        (["compare", "--dummy", "--queue-ms", "10"], "there is no option --queue-ms; did you mean --queue?"),
        (["monitor", "--samplerate", "48000"], "did you mean --rate?"),
        (["record", "--sample_rate", "48000", "a.wav"], "did you mean --file-rate?"),
        (["convert", "--rate", "16k", "a.wav", "b.wav"], "there is no option --rate; did you mean --file-rate?"),
        (["record", "--server-rate", "48000", "a.wav"], "there is no option --server-rate; did you mean --rate?"),
        (
            ["send", "--rate", "16k", "tcp://a:1"],
            "--rate needs --dummy; the sample rate of the stream is --stream-rate"
        ),
        (["monitor", "--buffer-size", "64"], "did you mean --period?"),
        (["receive", "--latency", "20", "rtp://a:1"], "did you mean --buffer?"),
        (["monitor", "--out", "system"], "did you mean --output?"),
        (["record", "--trigger", "-40dB", "a.wav"], "did you mean --threshold?"),
        (["monitor", "--volume=3"], "did you mean --gain?"),
        (["jitter", "--fail-if", "p99=1ms"], "did you mean --limit?"),
        (["rec", "a.wav"], "\"rec\"; did you mean record?"),
        (["stream"], "did you mean send?"),
        (["monitor", "-x"], "no option"),
        (["monitor", "-p"], "--period needs a value"),
        (["monitor", "--osc", "-c", "4"], "--osc needs a value"),
        (["doctor", "-c", "2"], "no option"),
        (["monitor", "--dummy", "--rate", "44.1k", "-p", "5ms"], "and 5ms is 220.5 at 44100 Hz"),
        (["ports", "--server", ""], "1 to 64 bytes"), (["monitor", "--name", "a:b"], "without a colon"),
        (["monitor", "--dummy", "-p", "64x"], "as in 64, 64frames or 2ms, not \"64x\""),
        (["monitor", "--dummy", "-p", "1.51ms"], "a whole number of frames, and 1.51ms is 72.48 at 48000 Hz"),
        (["monitor", "--dummy", "--rate", "48q"], "as in 48000, 44.1k or 48kHz"),
        (["monitor", "--dummy", "--seconds", "10x"], "as in 90, 10s, 250ms, 2min, 1h or 1:30"),
        (["monitor", "--dummy", "--gain", "3Hz"], "as in -3 or -3dB"),
        (["compare", "--dummy", "--queue", "10x"], "as in 512, 512frames, 10ms or 1920B"),
        (["compare", "--dummy", "--queue", "0"], "1 frame or more"),
        (["receive", "--buffer", "20Hz", "rtp://a:1"], "as in 20, 20ms or 0.02s"),
        (["monitor", "--shap=cubic"], "--shape"),
        (["monitor", "--dummy", "tone"], "monitor takes no argument: leave out \"tone\""),
        (["monitor", "--dummy", "--", "--gain"], "monitor takes no argument: leave out \"--gain\""),
        (["monitor", "-gain", "3"], "there is no option -gain; did you mean --gain?"),
        (["monitor", "-server", "stage"], "there is no option -server; did you mean --server?"),
        (["monitor", "-server=stage"], "there is no option -server; did you mean --server?"),
        (["-server", "stage", "monitor"], "there is no option -server; did you mean --server?"),
        (["convert", "-ar", "16k", "a.wav", "b.wav"], "there is no option -ar; did you mean --file-rate?"),
        (["monitor", "-=3"], "there is no option -;"),
        (["monitor", "--gain"], "needs a value"),
        (["monitor", "--dummy", "--control"], "--control needs --serve"),
        (["monitor", "--dummy", "--serve", "here:there"], "ADDRESS:PORT"),
        (["serve", "--dummy", "--port", "65536"], "0 to 65535"),
        (["serve", "--dummy", "--page-token", "secret"], "file:PATH or env:NAME"),
        (["serve", "--dummy", "--tls-cert", "a.pem"], "--tls-cert needs --tls-key"),
        (["monitor", "--json=yes"], "takes no value"),
        (["monitor", "--channels", "0"], "1 to 256"),
        (["monitor", "--channels", "-3"], "1 to 256"),
        (["monitor", "--channels", "257"], "1 to 256"),
        (["monitor", "--channels", "abc"], "1 to 256"),
        (["monitor", "--gain", "nan"], "-120 to 60"),
        (["monitor", "--gain", "1e9"], "-120 to 60"),
        (["monitor", "--drive=inf"], "-120 to 60"),
        (["monitor", "--shape", "cubik"], "cubic"),
        (["monitor", "--dummy", "--antialias", "8x"], "did you mean 2x"),
        (["monitor", "--dummy", "--phase", "minimum"], "--phase needs --antialias"),
        (["monitor", "--dummy", "--antialias", "adaa", "--phase", "linear"], "--antialias 2x"),
        (["monitor", "--dummy", "--antialias", "best", "--phase", "none"], "linear, minimum"),
        (["monitor", "--dummy", "--shape", "table"], "--shape-table FILE"),
        (["monitor", "--dummy", "--shape", "cubic", "--shape-table", "x"], "leave one out"),
        (["monitor", "--dummy", "--shape-table", ""], "name of a file"),
        (["--version", "--verbos"], "--verbose"),
        (["doctor", "--vrbose"], "did you mean --verbose?"),
        (["doctor", "everything"], "doctor takes no argument"),
        (["doctor", "--json=yes"], "takes no value"),
        (["monitor", "--loudness", "of"], "off"),
        (["monitor", "--loudness", "on", "--channels", "65"], "64 channels"),
        (["monitor", "--dummy", "--period", "0"], "16 to 8192"),
        (["monitor", "--dummy", "--period", "9000"], "16 to 8192"),
        (["monitor", "--dummy", "--rate", "0"], "1000 to 768000"),
        (["monitor", "--period", "64"], "--dummy"),
        (["monitor", "--dummy", "--server", "x"], "--server"),
        (["monitor", "--seconds", "0"], "0.01"),
        (["monitor", "--loop"], "--source"),
        (["monitor", "--dummy", "--source", "noise", "--loop"], "--source"),
        (["monitor", "--force"], "--record"),
        (["monitor", "--gaps", "cut"], "--record"),
        (["monitor", "--gaps", "hold", "--record", "x.wav"], "silence"),
        (["monitor", "--on-rate-change", "convert"], "--record"),
        (["monitor", "--on-rate-change", "stop", "--record", "x.wav"], "split"),
        (["monitor", "--no-connect", "--input", "x"], "--no-connect"),
        (["monitor", "--no-connect", "--follow-routes"], "--follow-routes"),
        (["monitor", "--name", "a:b", "--dummy"], "colon"),
        (["monitor", "--dummy", "--source", "tone:0"], "tone"),
        (["monitor", "--dummy", "--source", "tone:high"], "tone"),
        (["monitor", "--dummy", "--input", ""], "pattern"),
        (["jitter", "--dummy", "--limit", "p98=1ms"], "\"p98\" to limit; did you mean p90?"),
        (["jitter", "--dummy", "--limit", "queud.lost=0"], "queud.lost"),
        (["jitter", "--dummy", "--limit", "nonsense"], "NAME=VALUE"),
        (["jitter", "--dummy", "--limit", "p99="], "NAME=VALUE"),
        (["jitter", "--dummy", "--limit", "p99=abc"], "p99=200us, not \"abc\""),
        (["jitter", "--dummy", "--limit", "p99=-1ms"], "0 or more"),
        (["jitter", "--dummy", "--limit", "p99=inf"], "0 or more"),
        (["jitter", "--dummy", "--limit", "p99=100"], "a unit of time"),
        (["jitter", "--dummy", "--limit", "lost=5%"], "a unit of time"),
        (["jitter", "--dummy", "--limit", "overruns=1ms"], "a plain number"),
        (["jitter", "--dummy", "--limit", "queued.dropped=0"], "no queue"),
        (["jitter", "--dummy", "--limit", "own=0"], "--blame"),
        (["jitter", "--dummy", "--seconds", "0"], "0.1"),
        (["jitter", "--dummy", "--seconds", "0.5", "--warmup", "1"], "shorter than its warm-up"),
        (["compare", "--dummy", "--warmup", "20"], "shorter than its warm-up"),
        (["jitter", "--dummy", "--cycles", "1"], "2 to"),
        (["jitter", "--dummy", "--cycles", "9", "--seconds", "1"], "--cycles and --seconds exclude each other"),
        (["jitter", "--period", "64"], "--dummy"),
        (["jitter", "--sync"], "--dummy"),
        (["jitter", "--dummy", "--html", ""], "--html"),
        (["jitter", "--dummy", "--html", "a", "--csv", "a"], "same file"),
        (["compare", "--dummy", "--hgrm", "a", "--junit", "./a"], "same file"),
        (["jitter", "--from", ""], "--from"),
        (["jitter", "--from", "a", "--seconds", "1"], "--seconds"),
        (["jitter", "--from", "a", "--dummy"], "--dummy"),
        (["jitter", "--from", "a", "--period", "64"], "--period"),
        (["jitter", "--from", "a", "--csv", "b"], "--csv"),
        (["jitter", "--from", "a", "--html", "./a"], "same file"),
        (["jitter", "--calibrate", "--json"], "--json"),
        (["jitter", "--calibrate", "--period", "64"], "--dummy"),
        (["compare", "--dummy", "--queue", "0B"], "1 frame or more"),
        (["compare", "--dummy", "--queue", "-64"], "1 frame or more"),
        (["compare", "--dummy", "--queue", "many"], "1 frame or more"),
        (["compare", "--dummy", "--queue", "480001"], "10 s"),
        (["compare", "--dummy", "--queue-frames", "64"], "did you mean --queue?"),
        (["compare", "--dummy", "--queue-bytes", "64"], "did you mean --queue?"),
        (["compare", "--dummy", "--queue-milliseconds", "64"], "did you mean --queue?"),
        (["compare", "--dummy", "--queue", "6B"], "multiple of 4"),
        (["compare", "--dummy", "--queue", "0ms"], "1 frame or more"),
        (["compare", "--dummy", "--queue", "-1ms"], "1 frame or more"),
        (["compare", "--dummy", "--queue", "10001ms"], "up to 10 s"),
        (["compare", "--dummy", "--queue", "0.001ms"], "a frame"),
        (["compare", "--dummy", "--queue", "10s", "--queue-buffers", "5"], "use fewer or shorter buffers"),
        (["compare", "--dummy", "--queue-buffers", "0"], "2 to 64"),
        (["compare", "--dummy", "--queue-buffers", "1"], "2 to 64"),
        (["compare", "--dummy", "--queue", "16", "--queue-buffers", "2"], "5 buffers"),
        (
            ["compare", "--dummy", "--sequential", "--queue", "480", "--queue", "10ms"],
            "two queues of 480 frames"
        ),
        (
            ["compare", "--dummy", "--channels", "256", "--queue", "480", "--queue", "960"],
            "256 channels of 2 queues need more than the 2048 ports of a server"
        ),
        (["compare", "--dummy", "--queue-format", "int24"], "int16"),
        (["compare", "--dummy", "--preset", "sead"], "did you mean seed?"),
        (["compare", "--preset", "seed"], "--dummy"),
        (["compare", "--dummy", "--preset", "seed", "--rate", "48000"], "--rate"),
        (["compare", "--dummy", "--preset", "seed", "--queue", "64"], "the preset says that itself"),
        (["compare", "--from", "a", "--queue", "480"], "--queue"),
        (["convert", "--json", "a.wav", "-"], "--json prints on the standard output"),
        (["diff", "a.csv"], "two runs to compare"),
        (
            ["diff", "a.csv", "b.csv", "--fail-if", "p98+20%"],
            "\"p98\" to hold against the run before; did you mean p90?"
        ),
        (["diff", "a.csv", "b.csv", "--fail-if", "p99=1ms"], "NAME+VALUE, as in p99+20% or xruns+0"),
        (["diff", "a.csv", "b.csv", "--fail-if", "p99+5"], "as in p99+50us or xruns+0, not \"5\""),
        (["diff", "a.csv", "b.csv", "--limit", "p99+5us"], "did you mean --fail-if?"),
        (["diff", "a.csv", "b.csv", "--html", "./b.csv"], "name the same file"),
        (["diff", "a.csv", "b.csv", "--force"], "--force needs --html"),
        (["jitter", "--force"], "--force needs --html, --hgrm, --csv or --junit"),
        (["diff", "a.csv", "b.csv", "--html", "c", "--markdown", "c"], "--html and --markdown name the same file"),
        (["history"], "needs a folder of reports"),
        (["history", "a", "b"], "needs a folder of reports"),
        (["history", "a", "--figures", "p99,p98"], "\"p98\"; did you mean p90?"),
        (["history", "a", "--openmetrics", ""], "name of a file"),
        (["beat", "a.wav", "b.wav"], "one file at a time"),
        (["beat", "--name", "chest", "a.wav"], "--name is about JACK"),
        (["tune", "a.wav", "b.wav"], "one file at a time"),
        (["tune", "--a4", "20", "a.wav"], "380 to 500 Hz"),
        (["tune", "--rate", "48000", "a.wav"], "--rate is about JACK"),
        (["picture"], "draws one file"),
        (["picture", "a.wav", "b.svg"], "--output says where to"),
        (["picture", "-"], "say where the picture goes"),
        (["picture", "a.wav", "-o", "a.gif"], ".svg or .png"),
        (["picture", "a.wav", "--size", "100x100"], "200 to 8192"),
        (["picture", "a.wav", "--dark"], "--dark is for PNG"),
        (["picture", "a.wav", "-o", "a.html", "--dark"], "--dark is for PNG"),
        (["picture", "a.wav", "-o", "a.html", "--size", "300x300"], "--size is for SVG and PNG"),
        (["send"], "ws://HOST:PORT/PATH"),
        (["receive"], "rtp://HOST:PORT"),
        (["receive", "rtp://a:1", "rtp://b:1"], "one origin"),
        (["receive", "rtp://a"], "it has no port"),
        (
            ["receive", "--wait-ports", "rtp://a:1"],
            "--wait-ports needs --output: it waits for the ports that are named"
        ),
        (["record", "--wait-ports", "a.wav"], "--wait-ports needs --input or --output: it waits for"),
        (["receive", "ftp://a:1"], "use rtp://HOST:PORT"),
        (["receive", "icecast://me:word@a:1/b"], "receive from icecast://...@a:1/b: it is no origin"),
        (["receive", "tcp://me:word@a:1"], "receive from tcp://...@a:1: its host is none"),
        (["receive", "tcp://a"], "it has no port"),
        (["receive", "tcp://a:+1"], "it has no port"),
        (["receive", "tcp://:1"], "it has no host"),
        (["receive", "tcp-listen://"], "it has no port"),
        (["receive", "ws://:1/x"], "it has no host"),
        (["receive", "http://:1/x"], "it is no such address"),
        (["send", "tcp://:1"], "it has no host"),
        (["send", "rtp://:1"], "it has no host"),
        (["send", "icecast://:1/x"], "it has no host"),
        (["receive", "http://user:word@a/"], "receive from http://...: it is no such address"),
        (["receive", "http://a:0/#token=y"], "receive from http://a:0/: it is no such address"),
        (["send", "ws://a:1/#token=y"], "send to ws://a:1/#...: its path has characters"),
        (["receive", "https://a/x?token=y"], "give it with --token"),
        (["receive", "https://a/x?%74oken=y"], "give it with --token"),
        (["receive", "--codec", "opus", "http://a/"], "which says it itself"),
        (["receive", "--tls-ca", "a.pem", "http://a/"], "--tls-ca is for TLS"),
        (["receive", "--codec", "flac", "rtp://a:1"], "--codec takes opus, pcm16, pcm24"),
        (["receive", "--stream-rate", "44100", "rtp://a:1"], "Opus by RTP has 1 or 2 channels at 48000 hertz"),
        (["receive", "--buffer", "-1", "rtp://a:1"], "--buffer"),
        (["receive", "--token", "env:T", "rtp://a:1"], "--token is for a server"),
        (["receive", "--tls-ca", "a.pem", "ws://a:1/"], "--tls-ca is for TLS"),
        (["receive", "ws://a:1/?token=x"], "give it with --token"),
        (["receive", "--codec", "opus", "a.sdp"], "which says it itself"),
        (["monitor", "--record", "a.wav", "--send", "file:./a.wav"], "file:./a.wav is named twice"),
        (["record", "--send", "file:a.flac", "a.flac"], "file:a.flac is named twice"),
        (["send", "file:a.flac", "file:./a.flac"], "file:a.flac is named twice"),
        (["send", "rtp://a:1", "file:a.sdp", "--sdp", "a.sdp"], "file:a.sdp is named twice"),
        (["send", "--codek", "opus", "tcp://a:1"], "did you mean --codec?"),
        (["send", "http://source:secret@a:1/b"], "use ws://HOST:PORT/PATH"),
        (["info"], "info FILE..."),
        (["info", "--peak", "a.wav"], "did you mean --peaks?"),
        (["info", "--json=yes", "a.wav"], "takes no value"),
        (["info", "-", "-"], "once only"),
        (["help", "me"], "did you mean measuring?"),
        (["help", "figures", "extra"], "one thing at a time: leave out \"extra\""),
        (["help", "monitor", "nonsense"], "one thing at a time: leave out \"nonsense\""),
        (["ports", "extra"], "ports takes no argument"),
        (["help", "stream"], "no help on \"stream\"; did you mean send?"),
        (["help", "--man=nosuch"], "there is no manual page \"nosuch\""),
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

    @Test func `no number is offered in the place of another`() throws {
        let run = try CommandRun.run("convert", "--bits", "12", "a.wav", "b.wav")
        #expect(run.code == 64 && run.err.contains("--bits takes 8, 16, "), "\(run.err)")
        #expect(!run.err.contains("did you mean"), "\(run.err)")
    }

    @Test(arguments: ["send", "receive", "serve", "sending", "page"])
    func `the form of a stream has one name`(topic: String) throws {
        let help = try CommandRun.run("help", topic).out
        let names = Set(help.matches(of: /iounit\.stream\/[0-9]+/).map(\.output))
        #expect(names == ["iounit.stream/1"], "\(help)")
    }

    @Test(arguments: ["send", "receive", "compare", "jitter"])
    func `what a signal leaves of the exit code is told as it is`(subcommand: String) throws {
        let help = try CommandRun.run("help", subcommand).out.split(whereSeparator: \.isWhitespace).joined(
            separator: " ")
        #expect(help.contains("130 (SIGINT), 143 (SIGTERM) or 129 (SIGHUP), unless something went wrong for good."))
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

    /// As behind `| head`, whose reader has gone.
    @Test func `a standard output that nobody reads any more ends it quietly, by SIGPIPE as any other program`() throws
    {
        for words in [["--help"], ["monitor", "--dummy", "--seconds", "0.1"]] {
            let pipe = Pipe()
            try pipe.fileHandleForReading.close()
            let run = try CommandRun(words, output: pipe.fileHandleForWriting)
            #expect(try run.end() == -SIGPIPE)
            #expect(!run.err.contains("standard output"), "\(run.err)")
        }
    }

    @Test func `options may stand before the subcommand`() throws {
        let first = try CommandRun.run("--server", "iounit-no-such-server", "-c", "1", "monitor", "--seconds", "1")
        #expect(first.code == 69 && first.err.contains("iounit-no-such-server"), "\(first.err)")
        let attached = try CommandRun.run("--no-json", "-siounit-no-such-server", "ports")
        #expect(attached.code == 69 && attached.err.contains("iounit-no-such-server"), "\(attached.err)")
        // One that may have no value takes a number with a sign.
        let signed = try CommandRun.run("--trim", "-60", "convert", "no-such.wav", "b.wav")
        #expect(signed.code == 66 && signed.err.contains("no-such.wav"), "\(signed.err)")
        #expect(try CommandRun.run("--json", "--help").out == CommandRun.run("--help").out)
        for (words, says) in [
            (["--server", "x"], "a subcommand is missing after --server"),
            (["--server"], "a subcommand is missing"),
            (["--gian", "3", "monitor"], "there is no option --gian; did you mean --gain?"),
            (["--monitr"], "there is no option --monitr; did you mean monitor?"),
            (["--gain", "3", "ports"], "there is no option --gain"),
            (["--server", "x", "--preset", "y"], "there is no preset \"y\""),
        ] {
            let run = try CommandRun(words)
            #expect(try run.end() == 64 && run.err.contains(says), "\(run.err)")
        }
    }

    @Test func `a word that is no UTF-8 is refused, and named without its password`() throws {
        let line = "exec \"$0\" \"$@\" \"$(printf 'l\\351.wav')\""
        let file = try CommandRun.tool("sh", "-c", line, CommandRun.program, "info")
        #expect(file.code == 64 && file.out.isEmpty)
        #expect(
            file.err.contains("\"l\u{fffd}.wav\" is not written in UTF-8") && file.err.contains("rename"), "\(file.err)"
        )
        let secret = "exec \"$0\" send \"$(printf 'icecast://source:hackme\\351@host:1/a.mp3\\351')\""
        let target = try CommandRun.tool("sh", "-c", secret, CommandRun.program)
        #expect(target.code == 64 && target.err.contains("@host") && !target.err.contains("hackme"), "\(target.err)")
    }

    @Test func `stdout closed under the results is an error`() throws {
        let full = try CommandRun.tool("sh", "-c", "'\(CommandRun.program)' --help > /dev/full")
        #expect(full.code == 74)
        #expect(full.err.contains("standard output"))
    }
}
