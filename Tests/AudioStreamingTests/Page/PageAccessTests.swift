import AudioDSP
import AudioRealtime
import Foundation
import Testing

@testable import AudioStreaming

@Suite("Who may have what of a page") struct PageAccessTests {
    private func access(
        _ address: String = "127.0.0.1:8420", token: String? = nil, controls: Bool = false
    ) throws -> PageAccess {
        var configuration = PageConfiguration(try PageAddress(address))
        configuration.token = try token.map { word throws(StreamError) in try AccessToken(word) }
        configuration.hasControls = controls
        return PageAccess(configuration, machineName: "Stage")
    }

    private func request(
        _ path: String, host: String? = "127.0.0.1:8420", origin: String? = nil, bearer: String? = nil,
        token: String? = nil, isUpgrade: Bool = false
    ) -> PageRequest {
        var request = PageRequest(path: path, host: host, origin: origin)
        request.authorization = bearer.map { "Bearer \($0)" }
        if let token { request.arguments = [("token", token)] }
        (request.isUpgrade, request.version) = (isUpgrade, "13")
        return request
    }

    private func status(_ verdict: PageVerdict) -> Int {
        if case .refused(let status, _) = verdict { status } else { 200 }
    }

    @Test(arguments: [
        ("127.0.0.1:8420", 200), ("127.0.0.1", 200), ("192.168.1.7:8420", 200), ("[::1]:8420", 200), ("localhost", 200),
        ("LOCALHOST:8420", 200), ("stage:8420", 200), ("stage.local", 200), ("evil.example", 421),
        ("evil.example:8420", 421),
        ("127.0.0.1.evil.example", 421), ("127.0.0.1:evil", 421), ("", 421), ("[::1", 421), (":8420", 421),
        ("stage.", 421), ("[::1]evil", 421), ("[::1]evil:8420", 421), ("[::1]:evil", 421),
    ])
    func `a name that is not ours is none to be asked by`(host: String, expected: Int) throws {
        #expect(status(try access().judge(request("/", host: host))) == expected)
        #expect(status(try access().judge(request("/live", host: host, isUpgrade: true))) == expected)
    }

    @Test func `a request with a body is refused`() throws {
        var request = request("/")
        request.hasBody = true
        #expect(status(try access().judge(request)) == 413)
    }

    @Test func `a request without a host is refused`() throws {
        #expect(status(try access().judge(request("/", host: nil))) == 421)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8420", 200), ("https://127.0.0.1:8420", 200), ("http://127.0.0.1:8421", 403),
        ("http://127.0.0.1", 403), ("http://localhost:8420", 403), ("null", 403), ("", 403), ("file://", 403),
        ("http://127.0.0.1:8420.evil.example", 403), ("http://evil.example", 403),
    ])
    func `another site's page reaches nothing`(origin: String, expected: Int) throws {
        for (path, isUpgrade) in [("/live", true), ("/stream", true), ("/status.json", false), ("/stream.wav", false)] {
            let verdict = try access().judge(request(path, origin: origin, isUpgrade: isUpgrade))
            #expect(status(verdict) == expected, "\(path)")
        }
    }

    @Test func `on this machine all may look and listen without a token`() throws {
        let access = try access()
        #expect(access.judge(request("/status.json")) == .status)
        #expect(access.judge(request("/stream.flac")) == .file(.flac))
        #expect(access.judge(request("/stream", isUpgrade: true)) == .packets(.opus))
        #expect(access.judge(request("/live", isUpgrade: true)) == .live(mayControl: false))
    }

    @Test func `beyond it the page is there for all, and what it shows for those who know the token`() throws {
        let access = try access("0.0.0.0:8420", token: "correct-word")
        let page = try #require(PageResource(path: "/"))
        #expect(access.judge(request("/")) == .resource(page))
        #expect(access.judge(request("/healthz")) == .health)
        for path in ["/status.json", "/metrics", "/stream.opus"] {
            #expect(status(access.judge(request(path))) == 401)
            #expect(status(access.judge(request(path, bearer: "correct-wore"))) == 401)
            #expect(status(access.judge(request(path, bearer: ""))) == 401)
            #expect(status(access.judge(request(path, token: "correct-word-"))) == 401)
            #expect(status(access.judge(request(path, bearer: "correct-word"))) == 200)
            #expect(status(access.judge(request(path, token: "correct-word"))) == 200)
        }
    }

    @Test func `controls are for those who know the token, where there are any`() throws {
        func may(_ access: PageAccess, _ token: String?) -> PageVerdict {
            access.judge(request("/live", token: token, isUpgrade: true))
        }
        let open = try access(token: "correct-word", controls: true)
        #expect(may(open, nil) == .live(mayControl: false))
        #expect(may(open, "correct-word") == .live(mayControl: true))
        #expect(status(may(open, "wrong-word")) == 401)
        // A request without a WebSocket gets the reason why there is none.
        #expect(status(open.judge(request("/live", token: "wrong-word"))) == 401)
        #expect(open.judge(request("/live")) == .live(mayControl: false))
        let closed = try access(token: "correct-word")
        #expect(may(closed, "correct-word") == .live(mayControl: false))
    }

    @Test func `a token is compared whole, and tells nothing of itself`() throws {
        let token = try AccessToken("abcdefgh")
        for wrong in ["", "a", "abcdefg", "abcdefghabcdefgh", "abcdefgi", "ABCDEFGH"] { #expect(!token.matches(wrong)) }
        #expect(token.matches("abcdefgh") && !"\(token) \(String(reflecting: token))".contains("abcdefgh"))
        #expect(throws: StreamError.self) { try AccessToken("short") }
        #expect(throws: StreamError.self) { try AccessToken("a word of two") }
        let made = (0..<100).map { _ in AccessToken().revealed }
        #expect(Set(made).count == 100)
        let areTokens = made.allSatisfy { (try? AccessToken($0))?.matches($0) == true }
        #expect(areTokens)
    }

    @Test(arguments: [
        ("8421", "127.0.0.1:8421"), (":8421", "127.0.0.1:8421"), ("0.0.0.0", "0.0.0.0:8420"), ("[::1]:80", "[::1]:80"),
        ("[::]", "[::]:8420"), ("::1", "[::1]:8420"), ("stage.local:0", "stage.local:0"),
    ])
    func `an address is read in each of its forms`(word: String, expected: String) throws {
        #expect("\(try PageAddress(word))" == expected)
    }

    @Test(arguments: [
        "", ":", "a:b", "65536", "1.2.3.4:65536", "[::1", "[::1]x", "a b", "a/b", "[]:1", "\u{356}a::b", "a]::",
    ])
    func `what is no address is refused`(word: String) { #expect(throws: StreamError.self) { try PageAddress(word) } }

    private let known = Dictionary(
        uniqueKeysWithValues: (ShaperSetting.fields.map(\.info)
            + EqualiserBand.fields.map {
                var info = $0.info
                info.name = "eq/3/\(info.name)"
                return info
            } + [.action("split", "go on in the next file")]).map { ($0.name, $0) })

    private func value(_ text: String, of name: String) throws -> ParameterValue? {
        let control = try PageControl(text: text).checked(known)
        return control.name == name ? control.value : nil
    }

    @Test func `what a page is told is JSON, whatever a control is called`() throws {
        let reason = "tab\tbell\u{7} \u{1b}[0m \"1\\2\" a/b\r\n é takes 0 to 1"
        let text = ["refused": reason].jsonText
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 32 })
        #expect(try JSONDecoder().decode([String: String].self, from: Data(text.utf8)) == ["refused": reason])
        #expect(["mayControl": true].jsonText == #"{"mayControl":true}"#)
    }

    @Test func `what a page asks for is a control of the run with a value that it takes`() throws {
        #expect(try value(#"{"set":"gain","value":-3.5}"#, of: "gain") == .number(-3.5))
        #expect(try value(#"{"value":true,"set":"mute"}"#, of: "mute") == .flag(true))
        #expect(try value(#"{"set":"shape","value":"fold"}"#, of: "shape") == .choice("fold"))
        #expect(try value(#"{"set":"mute","value":1}"#, of: "mute") == .flag(true))
        #expect(try value(#"{"set":"mute","value":0}"#, of: "mute") == .flag(false))
        let words = ShaperSetting.shape.info.kind
        guard case .choice(let shapes) = words else { return #expect(Bool(false), "\(words)") }
        #expect(try value(#"{"set":"shape","value":3}"#, of: "shape") == .choice(shapes[3]))
        #expect(try value(#"{"set":"split","value":1}"#, of: "split") == .action)
        #expect(try value(#"{"set":"split","value":true}"#, of: "split") == .action)
        #expect(try value(#"{"set":"eq/3/hertz","value":33.5}"#, of: "eq/3/hertz") == .number(33.5))
        for bad in [
            "", "{}", "[]", "null", #"{"set":"gain"}"#, #"{"set":"gain","value":61}"#, #"{"set":"gain","value":"3"}"#,
            #"{"set":"mute","value":1.5}"#, #"{"set":"split","value":false}"#, #"{"set":"quit","value":true}"#,
            #"{"set":"gain","value":1e999}"#, #"{"set":"shape","value":-1}"#, #"{"set":"shape","value":1.5}"#,
            #"{"set":"shape","value":99}"#, #"{"set":"split","value":0}"#, #"{"set":"gain","value":true}"#,
            #"{"set":"shape","value":"square"}"#, #"{"set":"gain","value":{"hertz":500}}"#,
            #"{"set":"eq/4/hertz","value":500}"#, #"{"set":"eq/3/hertz","value":5}"#,
            #"{"set":"shape","value":""# + String(repeating: "a", count: 1100) + "\"}",
        ] { #expect(throws: StreamError.self, "\(bad)") { try value(bad, of: "") } }
        let refusal = #expect(throws: StreamError.self) { try value(#"{"set":"gain","value":61}"#, of: "gain") }
        #expect(refusal?.reason == "gain takes a number from -120 to 60 dB")
        let missing = #expect(throws: StreamError.self) { try value(#"{"set":"quit","value":true}"#, of: "quit") }
        #expect(missing?.reason == #"there is no control "quit""#)
    }
}
