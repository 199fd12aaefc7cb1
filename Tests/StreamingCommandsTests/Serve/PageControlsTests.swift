import CommandTestSupport
import TestSupport
import Testing

/// What is done on the page by hand.
extension ServeTests {
    /// A script that is run when the page has its controls, with the token `correct-word`. It has `at(name)`, `until(holds)`,
    /// `send(control, value)`, which asks the unit as another page does, and `press(key)`, where the focus is.
    private static func script(_ body: String) -> String {
        """
        (async () => {
          const at = (name) => document.getElementById(name), until = async (holds) => {
            while (!holds()) await new Promise((again) => setTimeout(again, 20));
          };
          const other = new WebSocket(`ws://${location.host}/live?token=correct-word`, 'iounit.live.1');
          const send = (set, value) => other.send(JSON.stringify({ set, value }));
          const press = (key, repeat = false) => document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', { key, repeat, bubbles: true, cancelable: true }));
          await until(() => !at('controls').disabled && other.readyState === WebSocket.OPEN);
          \(body)
        })()
        """
    }

    private func serveOpen(_ words: String..., environment: [String: String] = [:]) throws -> (
        run: CommandRun, url: String
    ) {
        let (run, url) = try serve(
            ["--control", "--page-token", "env:PAGE_TOKEN"] + words,
            environment: ["PAGE_TOKEN": "correct-word"].merging(environment) { $1 })
        return (run, "\(url)#token=correct-word")
    }

    @Test func `keys act once where a fader has the focus, and never against their way`() throws {
        let (run, url) = try serveOpen()
        let seen = try browse(
            url, "--do",
            Self.script(
                """
                const note = at('controls-note').textContent;
                at('gain').focus();
                press('m');
                press('m', true);
                await until(() => at('mute').getAttribute('aria-pressed') === 'true');
                send('gain', -100);
                await until(() => at('gain-value').value === '−100.0 dB');
                press('-');
                const still = at('gain-value').value;
                press('+');
                press('+', true);
                await \(Self.told("unit.gainDecibels === -99"));
                return [note, at('mute').getAttribute('aria-pressed'), still, at('gain-value').value];
                """))
        #expect(
            seen["value"] as? [String] == [
                "Keys: L listen, V view, B bypass, M mute, P pause, + and − gain", "true", "−100.0 dB", "−99.0 dB",
            ], "\(seen)")
        _ = try end(run)
    }

    @Test func `says which plug-in made the unit late, and has its values as they are`() throws {
        let bundle = try ProbeBundle.folder()
        let (run, url) = try serveOpen(
            "--period", "256", "--plugin", "probe/probe,gain=0.04", environment: ["LV2_PATH": bundle.path])
        let seen = try browse(
            url, "--do",
            Self.script(
                """
                // For as long as it takes to be seen: a unit that is always late keeps a processor from the browser.
                send('plugin/1/burn', 8);
                await until(() => at('trouble').textContent.includes('probe/probe'));
                const said = at('trouble').textContent;
                send('plugin/1/burn', 0);
                await until(() => at('plugin/1/burn-value').value.startsWith('0'));
                return [said, at('plugin/1/gain-value').value];
                """))
        let texts = try #require(seen["value"] as? [String], "\(seen)")
        #expect(texts[0].hasPrefix("the unit was late: probe/probe, plug-in 1, took "), "\(texts)")
        #expect(texts[1] == "0.04 ", "\(texts)")
        _ = try end(run)
    }

    @Test func `only the picture that is seen comes, and what the controls are comes once`() throws {
        let (run, url) = try serveOpen()
        let seen = try browse(
            url, "--do",
            Self.script(
                """
                const sent = [], own = WebSocket.prototype.send;
                WebSocket.prototype.send = function (text) { sent.push(text); own.call(this, text); };
                press('v');
                press('v');
                return sent;
                """))
        #expect(
            seen["value"] as? [String] == [#"{"without":["controls"]}"#, #"{"without":["controls","scope"]}"#],
            "\(seen)")
        #expect(seen["errors"] as? [String] == [])
        _ = try end(run)
    }

    @Test func `what others set is seen as it was set, and a refusal for as long as it takes to read it`() throws {
        let (run, url) = try serveOpen()
        let seen = try browse(
            url, "--do",
            Self.script(
                """
                at('shape').focus();
                send('shape', 'fold');
                await until(() => at('shape').value === 'fold');
                send('drive', 0.15);
                await until(() => at('drive-value').value === '+0.15 dB');
                const said = at('drive').getAttribute('aria-valuetext');
                at('shape').append(Object.assign(document.createElement('option'), { value: 'square' }));
                at('shape').value = 'square';
                at('shape').dispatchEvent(new Event('change'));
                await until(() => !at('trouble').hidden);
                await new Promise((later) => setTimeout(later, 1000));
                return [said, String(at('trouble').hidden), at('trouble').textContent];
                """))
        let texts = try #require(seen["value"] as? [String], "\(seen)")
        #expect(texts[0] == "+0.15 dB" && texts[1] == "false" && texts[2].hasPrefix("shape takes "), "\(texts)")
        _ = try end(run)
    }

    @Test func `a value can be typed, beyond the fader's ends too, and the unit says what it does not take`() throws {
        let (run, url) = try serveOpen()
        let seen = try browse(
            url, "--do",
            Self.script(
                """
                const field = at('gain-value'), enter = (text) => {
                  field.focus();
                  field.value = text;
                  field.dispatchEvent(new Event('input'));
                  field.dispatchEvent(new Event('change'));
                };
                enter('−70,5 db');
                await \(Self.told("unit.gainDecibels === -70.5"));
                const typed = field.value;
                enter('loud');
                await until(() => !at('trouble').hidden);
                const refused = at('trouble').textContent;
                field.value = '5';
                field.dispatchEvent(new Event('input'));
                send('gain', -12);
                await \(Self.told("unit.gainDecibels === -12"));
                await until(() => at('gain').value === '-12');
                const meanwhile = field.value;
                field.blur();
                return [typed, refused, meanwhile, field.value];
                """))
        #expect(
            seen["value"] as? [String] == ["−70.5 dB", "gain takes a number from -120 to 60 dB", "5", "−12.0 dB"],
            "\(seen)")
        _ = try end(run)
    }

    @Test func `the kind and the values of a band can be set in its fields`() throws {
        let (run, url) = try serveOpen("--eq", "peak:1k:3:1", "--eq", "peak:2k:3:1")
        let seen = try browse(
            url, "--do",
            Self.script(
                """
                await until(() => document.querySelector('.handle:enabled'));
                document.querySelectorAll('.handle')[1].focus();
                const [kind, hertz, gain, q] = document.querySelectorAll('#band select, #band input');
                const enter = (field, text) => {
                  field.value = text;
                  field.dispatchEvent(new Event('input'));
                  field.dispatchEvent(new Event('change'));
                };
                enter(hertz, '15 Hz');
                enter(q, '2');
                enter(kind, 'lowpass');
                await \(Self.told("unit.equaliser[1].kind === 'lowpass' && unit.equaliser[1].q === 2"));
                const shown = [hertz.value, gain.value, String(gain.disabled), q.value];
                // A press comes before the field loses the focus.
                hertz.value = '20';
                hertz.dispatchEvent(new Event('input'));
                const first = document.querySelector('.handle');
                first.setPointerCapture = () => {};
                first.dispatchEvent(new PointerEvent('pointerdown'));
                await \(Self.told("unit.equaliser[1].hertz === 20"));
                return [...shown, hertz.value];
                """))
        #expect(seen["value"] as? [String] == ["15 Hz", "–", "true", "2", "1000 Hz"], "\(seen)")
        let unit = try #require(try end(run)["unit"] as? [String: Any])
        let bands = try #require(unit["equaliser"] as? [[String: Any]])
        #expect(bands[1]["hertz"] as? Double == 20 && bands[1]["kind"] as? String == "lowpass", "\(bands)")
        #expect(bands[0]["hertz"] as? Double == 1000 && bands[0]["kind"] as? String == "peak", "\(bands)")
    }

    @Test func `of a band of the equaliser only what is moved is set`() throws {
        let (run, url) = try serveOpen("--eq", "highpass:15:1.234")
        let seen = try browse(
            url, "--do",
            Self.script(
                """
                await until(() => document.querySelector('.handle:enabled'));
                document.querySelector('.handle').focus();
                press('Enter');
                await \(Self.told("!unit.equaliser[0].isOn"));
                """))
        #expect(seen["errors"] as? [String] == [], "\(seen)")
        let unit = try #require(try end(run)["unit"] as? [String: Any])
        let band = try #require((unit["equaliser"] as? [[String: Any]])?.first)
        #expect(
            band["hertz"] as? Double == 15 && band["q"] as? Double == 1.234 && band["isOn"] as? Bool == false, "\(band)"
        )
    }

    @Test func `a finger that scrolls the page moves no fader, and one that goes across does`() throws {
        let (run, url) = try serveOpen("--gain", "-6")
        let gain = Self.script("return at('gain-value').value")
        let scrolled = try browse(
            url, "--width", "390", "--height", "640", "--swipe", "#gain", "0", "-200", "--do", gain)
        #expect(scrolled["value"] as? String == "−6.0 dB", "\(scrolled)")
        let moved = try browse(
            url, "--width", "390", "--height", "640", "--swipe", "#gain", "-30", "0", "--do",
            Self.script("await \(Self.told("unit.gainDecibels < -24"))"))
        #expect(moved["errors"] as? [String] == [], "\(moved)")
        _ = try end(run)
    }

    @Test func `no control moves while the connection is lost, and each does once it is back`() throws {
        let (run, url) = try serveOpen("--eq", "peak:1k:3:1")
        let seen = try browse(
            url, "--do",
            Self.script(
                """
                await until(() => document.querySelector('.handle:enabled'));
                // The page's own connection, and its next attempt, which waits until it is let.
                const later = setTimeout, plain = WebSocket.prototype.send;
                let own = null, attempt = null;
                globalThis.setTimeout = (what, pause) => pause < 300 ? later(what, pause) : (attempt = what, 0);
                WebSocket.prototype.send = function (text) { if (this !== other) own = this; plain.call(this, text); };
                press('v');
                press('v');
                const shown = () => [at('mute'), at('bypass')].map((button) => button.getAttribute('aria-pressed')).join()
                  + ' ' + at('gain').value;
                const before = shown();
                // Typed and not entered: the browser says that it has changed where its field is shut.
                at('gain-value').focus();
                at('gain-value').select();
                document.execCommand('insertText', false, '5');
                own.close();
                await until(() => attempt && at('state').dataset.state === 'lost');
                press('m');
                press('+');
                at('bypass').click();
                const lost = [shown(), String(at('controls').disabled), String(document.querySelector('.handle').disabled)];
                attempt();
                await until(() => !at('controls').disabled && document.querySelector('.handle:enabled'));
                at('bypass').click();
                await \(Self.told("unit.bypass"));
                return [before, ...lost];
                """))
        #expect(
            seen["value"] as? [String] == ["false,false 0", "false,false 0", "true", "true"], "\(seen)")
        #expect(seen["errors"] as? [String] == [])
        _ = try end(run)
    }

    @Test func `the browser's own player is tried again as the one that was pressed for, soon after it has played`()
        throws
    {
        let (run, url) = try serveOpen()
        let seen = try browse(
            url, "--do",
            Self.script(
                """
                const player = globalThis.iounitPlayer, made = [];
                // As by http from elsewhere.
                Object.defineProperty(player, 'isPlain', { value: true });
                globalThis.Audio = class {
                  constructor() { made.push(this); }
                  canPlayType() { return ''; }
                  removeAttribute() {}
                  load() {}
                  play() { return Promise.resolve(); }
                };
                at('listen').click();
                player.attempt = 2;
                made[0].onplaying();
                const attempt = player.attempt;
                made[0].onended();
                await until(() => player.state === 'connecting');
                const isSame = player.element === made[0] && made.length === 1;
                player.element.play = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
                player.element.onended();
                await until(() => player.state === 'failed');
                return [String(attempt), String(isSame), at('listen-state').textContent, at('listen-name').textContent];
                """))
        #expect(
            seen["value"] as? [String] == [
                "0", "true", "The browser lets a page sound only right after a press: listen again.", "Listen",
            ], "\(seen)")
        #expect(seen["errors"] as? [String] == [])
        _ = try end(run)
    }

    @Test func `an attempt to connect from which no word comes back ends, and the sound is tried with the page`() throws
    {
        let (run, url) = try serveOpen()
        let seen = try browse(
            url, "--do",
            Self.script(
                """
                const player = globalThis.iounitPlayer, made = [], limits = [];
                const Usual = WebSocket, plain = WebSocket.prototype.send, asked = fetch;
                let own = null, renewals = 0;
                WebSocket.prototype.send = function (text) { if (this !== other) own = this; plain.call(this, text); };
                press('v');
                press('v');
                globalThis.WebSocket = class {
                  static CONNECTING = 0;
                  static OPEN = 1;
                  readyState = 0;
                  isClosed = false;
                  constructor() { made.push(this); }
                  close() { this.isClosed = true; }
                };
                globalThis.fetch = (path, options) => {
                  limits.push(options.signal instanceof AbortSignal);
                  return asked(path, options);
                };
                own.close();
                await until(() => made.length === 1);
                made[0].onclose();
                await until(() => made.length === 2);
                // Eleven seconds later.
                const now = performance.now.bind(performance);
                performance.now = () => now() + 11000;
                await until(() => made[1].isClosed);
                globalThis.WebSocket = Usual;
                player.state = 'lost';
                player.again = () => { renewals += 1; };
                await until(() => renewals === 1 && at('state').dataset.state === 'running');
                return [limits.join(), String(made.length)];
                """))
        #expect(seen["value"] as? [String] == ["true", "2"], "\(seen)")
        _ = try end(run)
    }

    @Test func `a lost connection moves nothing, another token is taken, and who comes later sees what is`() throws {
        let (run, url) = try serveOpen()
        let seen = try browse(
            url, "--do",
            Self.script(
                """
                const names = ['band', 'faders', 'events', 'company'];
                const places = () => names.map((name) => at(name).getBoundingClientRect().top).join();
                const Usual = WebSocket, plain = WebSocket.prototype.send;
                let own = null, left = 0;
                WebSocket.prototype.send = function (text) { if (this !== other) own = this; plain.call(this, text); };
                press('v');
                press('v');
                other.onmessage = ({ data }) => { left = JSON.parse(data).elapsed; };
                await until(() => left > 0);
                globalThis.WebSocket = class { static CONNECTING = 0; static OPEN = 1; readyState = 0; close() {} };
                const before = places();
                own.close();
                await until(() => at('state').dataset.state === 'lost');
                const after = places(), shut = ['.handle', '#band select'].map((name) => document.querySelector(name).disabled);
                location.hash = 'token=second';
                await until(() => sessionStorage.getItem('iounit.token') === 'second' && location.hash === '');
                // With nobody who looks.
                other.close();
                await new Promise((on) => setTimeout(on, 3500));
                const late = new Usual(`ws://${location.host}/live?token=correct-word`, 'iounit.live.1');
                const first = await new Promise((seen) => {
                  late.onmessage = ({ data }) => { if ('elapsed' in JSON.parse(data)) seen(JSON.parse(data)); };
                });
                return [
                  before === after ? 'still' : `${before} ${after}`, shut.join(),
                  first.elapsed > left + 1 ? 'new' : `${first.elapsed} behind ${left}`,
                ];
                """))
        #expect(seen["value"] as? [String] == ["still", "true,true", "new"], "\(seen)")
        _ = try end(run)
    }

    @Test func `one who finds no place to listen is told why`() throws {
        let (run, url) = try serveOpen("--listeners", "1")
        let seen = try browse(
            url, "--do",
            Self.script(
                """
                const first = new WebSocket(`ws://${location.host}/stream?codec=opus`, 'iounit.stream.1');
                await until(() => first.readyState === WebSocket.OPEN);
                at('listen').click();
                const said = () => at('listen-state').textContent;
                await until(() => said().includes('already'));
                return [at('listen-title').textContent, said().trim()];
                """))
        #expect(
            seen["value"] as? [String] == ["Stream lost", "1 listen already; try again in some seconds"], "\(seen)")
        _ = try end(run)
    }

    @Test func `the end of a run is no fault, and a run with other controls goes on at the same page`() throws {
        let (run, url) = try serveOpen("--limiter", "ceiling=-1")
        let port = try #require(url.split(separator: ":")[2].split(separator: "/").first)
        let browser = try browser(
            url, "--do",
            Self.script(
                """
                const before = at('limiter/ceiling') !== null;
                window.confirm = () => true;
                at('end').click();
                await until(() => at('state').dataset.state === 'ended' && !at('trouble').hidden);
                const told = at('trouble').textContent;
                await until(() => at('state').dataset.state === 'running' && at('limiter/ceiling') === null);
                return [String(before), told, String(at('gain') !== null)];
                """))
        #expect(try run.end() == 0, "\(run.err)")
        let (next, _) = try serveOpen("--port", String(port))
        #expect(try browser.end(within: 240) == 0, "\(browser.err)")
        let seen = try object(browser.out)["value"] as? [String]
        #expect(seen == ["true", "The run has ended. The page goes on when iounit is started again.", "true"])
        _ = try end(next)
    }
}
