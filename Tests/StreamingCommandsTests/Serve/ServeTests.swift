import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// `iounit serve` on a server of its own, and a browser in front of it.
@Suite("iounit serve", .serialized, .ownServers, .keptBrowser) struct ServeTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func serve(_ words: String..., environment: [String: String] = [:]) throws -> (run: CommandRun, url: String)
    {
        try serve(words, environment: environment)
    }

    func serve(_ words: [String], environment: [String: String]) throws -> (run: CommandRun, url: String) {
        let port = words.contains("--port") ? [] : ["--port", "0"]
        let run = try CommandRun(
            ["serve", "--dummy", "--source", "tone:1000", "--shape", "off", "--json"] + port + words,
            environment: environment)
        try run.wait(until: "the page is there") { run.err.contains("the page is at ") }
        let rest = run.err.split(separator: "the page is at ")[1]
        return (run, String(rest.prefix { $0 != "\n" && $0 != "," }))
    }

    private func get(_ url: String, _ arguments: String...) throws -> (status: Int, text: String) {
        let run = try CommandRun(["-s", "-m", "10", "-w", "\n%{http_code}", url] + arguments, program: "/usr/bin/curl")
        #expect(try run.end() == 0)
        let lines = run.out.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    func browser(_ url: String, _ words: String...) throws -> CommandRun { try browser(url, words) }

    private func browser(_ url: String, _ words: [String]) throws -> CommandRun {
        let port = try KeptBrowser.port()
        return try CommandRun(
            [ForeignProgram.path("browser.py"), url, "--port", "\(port)"] + words, program: "/usr/bin/python3")
    }

    func browse(_ url: String, _ words: String...) throws -> [String: Any] {
        let run = try browser(url, words)
        #expect(try run.end(within: 240) == 0, "\(run.err)")
        return try object(run.out)
    }

    /// A promise of JavaScript that is kept when something holds of the unit, as its figures tell each second.
    static func told(_ condition: String) -> String {
        """
        (async () => {
          const headers = { Authorization: `Bearer ${sessionStorage.getItem('iounit.token')}` };
          for (;;) {
            const { unit } = await (await fetch('/status.json', { headers })).json();
            if (\(condition)) return;
            await new Promise((again) => setTimeout(again, 100));
          }
        })()
        """
    }

    func end(_ run: CommandRun) throws -> [String: Any] {
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        return try object(run.out)
    }

    /// With IOUNIT_LISTEN_SECONDS=60 for a minute; what underran then is printed, and the delay does not grow.
    @Test(arguments: [44100, 48000])
    func `is heard in a browser at its pitch, whatever the rate of the browser, and nothing complains`(rate: Int) throws
    {
        let (run, url) = try serve("--gain", "-12")
        let seconds = ProcessInfo.processInfo.environment["IOUNIT_LISTEN_SECONDS"] ?? "3"
        let seen = try browse(url, "--listen", seconds, "--rate", "\(rate)", "--width", "640", "--height", "400")
        #expect(seen["contextRate"] as? Int == rate)
        #expect(seen["errors"] as? [String] == [] && seen["decoderErrors"] as? Int == 0)
        #expect(seen["codec"] as? String == "opus")
        let hertz = try #require(seen["medianHertz"] as? Double)
        #expect(hertz > 998 && hertz < 1002, "\(seen["hertz"] ?? "")")
        let delay = seen["delayMilliseconds"] as? [String: Double] ?? [:]
        print("delay to the AnalyserNode: \(delay) ms; underruns: \(seen["underruns"] ?? "?")")
        if let length = Double(seconds), length >= 30 {
            let early = try #require(seen["earlyDelayMilliseconds"] as? Double)
            let late = try #require(seen["lateDelayMilliseconds"] as? Double)
            #expect(late < early + 20, "the delay grows: \(early) ms, then \(late) ms")
        }
        let report = try end(run)
        let page = try #require(report["page"] as? [String: Any])
        #expect(page["listenings"] as? Int == 1 && page["droppedFrames"] as? Int == 0)
        // A browser that a busy machine holds for longer than its queue loses packets, of which both tell.
        let lost = try #require(seen["lostPackets"] as? Int)
        let told = try #require(page["lostPackets"] as? Int)
        let sent = try #require(page["sentPackets"] as? Int)
        #expect(lost <= told && told < sent, "\(lost) and \(told) of \(sent)")
    }

    @Test func `is heard by a browser that decodes nothing itself, and shows a hostile name as it is`() throws {
        let name = "<script>document.title='taken'</script>"
        let (run, url) = try serve("--name", name, "--period", "256")
        let seen = try browse(
            url, "--listen", "1", "--plain", "--width", "390", "--height", "844", "--do",
            "JSON.stringify([document.getElementById('title').textContent, document.querySelectorAll('script').length, "
                + "document.documentElement.scrollWidth])")
        #expect(seen["errors"] as? [String] == [] && seen["codec"] as? String == "pcm16")
        let text = try #require(seen["value"] as? String)
        let facts = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any])
        #expect((facts[0] as? String)?.hasPrefix(name) == true && facts[1] as? Int == 1)
        // It fits on a phone.
        #expect(facts[2] as? Int == 390)
        #expect(seen["title"] as? String == "iounit")
        _ = try end(run)
    }

    @Test func `lets those with the token change the sound, and shows the figures to all`() throws {
        let (run, url) = try serve(
            "--control", "--page-token", "env:PAGE_TOKEN", "--gain", "-6", environment: ["PAGE_TOKEN": "correct-word"])
        // A token that was given is not printed.
        #expect(!run.err.contains("correct-word") && !url.contains("#"))
        // Who has come without it is asked for it where it is missing, and a wrong one changes nothing.
        let field = """
            (async () => {
              const at = (name) => document.getElementById(name), until = async (holds) => {
                while (!holds()) await new Promise((again) => setTimeout(again, 20));
              };
              await until(() => !at('control-token').hidden);
              const before = at('controls').disabled;
              const enter = (word) => { at('control-word').value = word; at('control-token').requestSubmit(); };
              enter('wrong-word');
              await until(() => !at('control-wrong').hidden);
              const between = at('controls').disabled;
              enter('correct-word');
              await until(() => !at('controls').disabled);
              return JSON.stringify([before, between, at('control-token').hidden, at('record') === null,
                at('record-note').textContent.includes('--record')]);
            })()
            """
        let entered = try browse(url, "--do", field)
        #expect(entered["value"] as? String == "[true,true,true,true,true]", "\(entered)")
        let press = """
            new Promise((done) => {
              const look = () => document.getElementById('controls').disabled ? setTimeout(look, 20) : act();
              const act = () => {
                document.getElementById('bypass').click();
                const gain = document.getElementById('gain');
                gain.value = -20;
                gain.dispatchEvent(new Event('input'));
                \(Self.told("unit.bypass && unit.gainDecibels === -20")).then(shown);
              };
              // The page shows the change when its own message has come, which may be later.
              const shown = () => {
                const pressed = document.getElementById('bypass').getAttribute('aria-pressed');
                if (pressed !== 'true') return setTimeout(shown, 20);
                const [gain, drive] = ['gain', 'drive'].map((name) => document.getElementById(name));
                done([pressed, gain.min, gain.max, drive.min, drive.max].join(' '));
              };
              look();
            })
            """
        let pressed = try browse("\(url)#token=correct-word", "--do", press)
        #expect(pressed["value"] as? String == "true -60 12 0 48" && pressed["errors"] as? [String] == [])
        let metrics = try get("\(url)metrics")
        #expect(metrics.status == 200 && metrics.text.hasSuffix("# EOF\n") || metrics.text.hasSuffix("# EOF"))
        #expect(
            metrics.text.contains("# TYPE iounit_xruns counter\n") && metrics.text.contains("\niounit_xruns_total "))
        #expect(try get("\(url)healthz").status == 200)
        let status = try object(try get("\(url)status.json").text)
        #expect(status["schema"] as? String == "iounit.monitor/2")
        #expect(try get("\(url)status.json?token=wrong-word").status == 401)
        let unit = try #require(try end(run)["unit"] as? [String: Any])
        #expect(unit["gainDecibels"] as? Double == -20 && unit["bypass"] as? Bool == true)
    }

    @Test func `shows what is played, and goes on to the next file`() throws {
        let files = try ["one.wav", "two.wav"].map { name in
            let (code, _, err) = try CommandRun.run(
                "monitor", "--offline", "--source", "tone:440", "--seconds", "60", "--record", folder(name))
            try #require(code == 0, "\(err)")
            return folder(name)
        }
        let run = try CommandRun(
            ["play"] + files + [
                "--dummy", "--start", "1", "--serve=127.0.0.1:0", "--control", "--page-token", "env:WORD", "--json",
            ], environment: ["WORD": "correct-word"])
        try run.wait(until: "the page is there") { run.err.contains("the page is at ") }
        let url = run.err.split(separator: "the page is at ")[1].prefix { $0 != "\n" && $0 != "," }
        let press = """
            (async () => {
              const at = (name) => document.getElementById(name), until = async (holds) => {
                while (!holds()) await new Promise((again) => setTimeout(again, 20));
              };
              await until(() => !at('controls').disabled && at('words').textContent.startsWith('1 of 2: one.wav'));
              // The place is one in the whole file, and so is the end.
              const end = at('words').textContent.split(' of ').pop();
              at('next').click();
              await until(() => at('words').textContent.startsWith('2 of 2: two.wav'));
              const switches = [...document.querySelectorAll('#switches button')].map(({ id }) => id).join();
              return [switches, at('controls-note').textContent.includes('P pause'),
                at('controls-note').textContent.includes('B bypass'), end].join(' ');
            })()
            """
        try waitUntil("it is told how much of the file was heard by now") {
            let status = try object(try get("\(url)status.json").text)
            let file = (status["files"] as? [[String: Any]])?.first
            return file?["plays"] as? Int == 1 && file?["playedFrames"] as? Int ?? 0 > 0
        }
        let seen = try browse("\(url)#token=correct-word", "--do", press)
        #expect(seen["value"] as? String == "pause,loop true false 00:01:00", "\(seen)")
        #expect(seen["errors"] as? [String] == [])
        let played = try #require(try end(run)["files"] as? [[String: Any]])
        #expect(played.map { $0["plays"] as? Int } == [1, 1])
    }

    /// The page asks each second how the run is; that is not its end.
    @Test func `of a target that has left it is told at the end that it has`() throws {
        let listener = try CommandRun(
            [
                "-c",
                """
                import socket
                listener = socket.create_server(("127.0.0.1", 0))
                print(listener.getsockname()[1], flush=True)
                connection = listener.accept()[0]
                total = 0
                while total < 300_000: total += len(connection.recv(65536))
                """,
            ], program: "/usr/bin/python3")
        try listener.wait(until: "it listens") { listener.out.hasSuffix("\n") }
        let (run, url) = try serve(
            "--send", "tcp://127.0.0.1:\(listener.out.prefix { $0.isNumber })", "--codec", "float")
        try run.wait(until: "the target is reached") { run.err.contains("sending to tcp://") }
        #expect(try get("\(url)status.json", "--retry", "20").status == 200)
        try run.wait(until: "the target has left") { run.err.contains("it is tried again") }
        run.send(SIGINT)
        _ = try run.end()
        let targets = try #require((try object(run.out)["sent"] as? [String: Any])?["targets"] as? [[String: Any]])
        #expect(targets[0]["state"] as? String == "connecting", "\(targets)")
    }

    @Test func `an equaliser is seen by all, and dragged by those with the token`() throws {
        let (run, url) = try serve(
            "--control", "--page-token", "env:PAGE_TOKEN", "--eq", "peak:1k:0:1", "--eq", "notch:50",
            environment: ["PAGE_TOKEN": "correct-word"])
        let handles = "[...document.querySelectorAll('.handle')].map((one) => [one.disabled, one.title])"
        let waiting = "new Promise((done) => setTimeout(() => done(\(handles)), 500))"
        let seen = try browse(url, "--do", waiting)
        let shut = try #require(seen["value"] as? [[Any]])
        #expect(shut.count == 2 && shut.allSatisfy { $0[0] as? Bool == true })
        #expect(
            shut[0][1] as? String == "Peak 1.00 kHz, 0.0 dB, Q 1.00" && shut[1][1] as? String == "Notch 50 Hz, Q 0.71")
        // Up by a quarter of the picture, from beside the middle of the handle, and with the keys to the left by an octave.
        let keys = """
            new Promise((done) => {
              const handle = document.querySelector('.handle');
              for (let step = 0; step < 12; step++)
                handle.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));
              \(Self.told("unit.equaliser[0].hertz < 515 && unit.equaliser[0].decibels > 9")).then(() => done(\(handles)));
            })
            """
        let quarter = "-47"
        let moved = try browse(
            "\(url)#token=correct-word", "--drag", ".handle", "0", quarter, "--at", "4", "8", "--do", keys)
        let open = try #require(moved["value"] as? [[Any]])
        #expect(moved["errors"] as? [String] == [] && open.allSatisfy { $0[0] as? Bool == false }, "\(moved)")
        let bands = try #require((try end(run)["unit"] as? [String: Any])?["equaliser"] as? [[String: Any]])
        let (hertz, decibels) = (bands[0]["hertz"] as? Double ?? 0, bands[0]["decibels"] as? Double ?? 0)
        #expect(abs(hertz - 500) < 15 && (11.5...12.5).contains(decibels), "\(bands)")
        #expect(bands[1]["hertz"] as? Double == 50 && bands[1]["kind"] as? String == "notch")
    }

    @Test func `a token that it makes is in a file of its owner where stderr is no terminal`() throws {
        let (run, url) = try serve("--control", environment: ["XDG_RUNTIME_DIR": folder.path])
        #expect(!run.err.contains("token="))
        let path = try String(#require(run.err.firstMatch(of: /with the token in (\S+)/)).1)
        #expect(path.hasPrefix(folder.path))
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        let token = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
        #expect(try get("\(url)status.json?token=\(token)").status == 200)
        #expect(try get("\(url)status.json?token=\(token)a").status == 401)
        _ = try end(run)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `on a terminal the address has the token in it, also one's own`() throws {
        let screen = try Screen(
            "serve --dummy --port 0 --control --page-token env:PAGE_TOKEN --loudness off", in: folder, columns: 110,
            environment: ["PAGE_TOKEN": "correct-word"])
        try screen.wait(for: "#token=correct-word")
        screen.type("q")
        #expect(try screen.run.end() == 0)
    }

    @Test func `a port that is taken is one sentence and 73`() throws {
        let (run, url) = try serve()
        let port = url.split(separator: ":")[2].prefix { $0.isNumber }
        let second = try CommandRun.run("serve", "--dummy", "--port", String(port), "--seconds", "1")
        #expect(second.code == 73 && second.out == "")
        #expect(
            second.err.contains("another program listens at that port") && second.err.split(separator: "\n").count == 1)
        _ = try end(run)
    }

    @Test func `says what it has refused, a single request too`() throws {
        let run = try CommandRun(["serve", "--dummy", "--port", "0", "--loudness", "off"])
        try run.wait(until: "the page is there") { run.err.contains("the page is at ") }
        let url = run.err.split(separator: "the page is at ")[1].prefix { $0 != "\n" && $0 != "," }
        #expect(try get("\(url)status.json", "-H", "Host: evil.example").status == 421)
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT && run.out.contains(", 1 request refused\n"), "\(run.out)\(run.err)")
    }

    @Test func `serves by https with a certificate, and refuses what is none`() throws {
        let (certificate, key) = (folder("cert.pem"), folder("key.pem"))
        let made = try CommandRun.tool(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=localhost", "-keyout", key, "-out", certificate)
        try #require(made.code == 0, "\(made.err)")
        let (run, url) = try serve("--tls-cert", certificate, "--tls-key", key)
        #expect(url.hasPrefix("https://"))
        // The certificate is no authority's.
        let answer = try get("\(url)status.json", "-k")
        #expect(answer.status == 200 && answer.text.hasPrefix("{"))
        _ = try end(run)
        let bad = try CommandRun.run("serve", "--dummy", "--port", "0", "--tls-cert", key, "--tls-key", certificate)
        #expect(bad.code == 65 && bad.err.contains("--tls-cert"))
    }
}
