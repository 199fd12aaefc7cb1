import Jack
import Testing

@testable import AudioIO

@Suite("The memory of a client's connections") struct PatchTests {
    /// A client with two ports, by the name that the server gave it.
    private func patch(_ links: [(String, String)] = []) -> Patch {
        var patch = Patch()
        patch.begin(ports: Self.ports("iounit"))
        for (source, target) in links { patch.connect(source, target) }
        return patch
    }

    private static func ports(_ client: String) -> [String: String] {
        ["in_1": "\(client):in_1", "out_1": "\(client):out_1"]
    }

    private static let both = [("mic:1", "iounit:in_1"), ("iounit:out_1", "speaker:1")]
    private static let second: UInt64 = 1_000_000_000

    private func texts(_ links: [Link]) -> [String] { links.map(\.description) }

    @Test func `wants back what there was, on the ports of the next client, in the same order`() {
        var patch = patch(Self.both)
        #expect(patch.missing(atNanoseconds: 0).isEmpty)
        patch.begin(ports: Self.ports("iounit-01"))
        #expect(texts(patch.missing(atNanoseconds: 0)) == ["mic:1 → iounit-01:in_1", "iounit-01:out_1 → speaker:1"])
        patch.connect("mic:1", "iounit-01:in_1")
        #expect(texts(patch.missing(atNanoseconds: 0)) == ["iounit-01:out_1 → speaker:1"])
    }

    @Test func `takes no port of ours for that of another client that had its name before`() {
        var patch = patch([("iounit:out_1", "iounit-01:in_1"), ("mic:1", "iounit:in_1")])
        patch.begin(ports: Self.ports("iounit-01"))
        #expect(texts(patch.missing(atNanoseconds: 0)) == ["mic:1 → iounit-01:in_1"])
        patch.begin(ports: Self.ports("iounit"))
        #expect(texts(patch.missing(atNanoseconds: 0)) == ["iounit:out_1 → iounit-01:in_1", "mic:1 → iounit:in_1"])
    }

    @Test func `knows what others connect, and nothing of connections between others`() {
        var patch = patch()
        patch.note(.portsConnected(source: "iounit:out_1", target: "recorder:in"), atNanoseconds: 0)
        patch.note(.portsConnected(source: "mic:1", target: "recorder:in"), atNanoseconds: 0)
        patch.begin(ports: Self.ports("iounit"))
        #expect(texts(patch.missing(atNanoseconds: 0)) == ["iounit:out_1 → recorder:in"])
    }

    @Test func `forgets what somebody has unmade`() {
        var patch = patch(Self.both)
        patch.note(.portsDisconnected(source: "mic:1", target: "iounit:in_1"), atNanoseconds: 0)
        #expect(patch.missing(atNanoseconds: Self.second).isEmpty)
        patch.begin(ports: Self.ports("iounit"))
        #expect(texts(patch.missing(atNanoseconds: Self.second)) == ["iounit:out_1 → speaker:1"])
        #expect(patch.takeNews().isEmpty)
    }

    @Test func `is connected once to a port that gets the name of one that was waited for`() {
        var patch = patch([("mic:1", "iounit:in_1"), ("mic:2", "iounit:in_1")])
        patch.note(.portUnregistered(name: "mic:1"), atNanoseconds: 0)
        patch.note(.portRenamed(from: "mic:2", to: "mic:1"), atNanoseconds: 1)
        #expect(texts(patch.made) == ["mic:1 → iounit:in_1"])
        #expect(patch.missing(atNanoseconds: Self.second).isEmpty)
    }

    @Test func `stays connected to a port that gets the name it has`() {
        var patch = patch([("mic:1", "iounit:in_1")])
        patch.note(.portRenamed(from: "mic:1", to: "mic:1"), atNanoseconds: 0)
        #expect(texts(patch.made) == ["mic:1 → iounit:in_1"])
    }

    /// JACK tells of the end of the connection first.
    @Test func `wants back what ended because the other port did`() {
        var patch = patch(Self.both)
        patch.note(.portsDisconnected(source: "mic:1", target: "iounit:in_1"), atNanoseconds: 0)
        patch.note(.portUnregistered(name: "mic:1"), atNanoseconds: 1)
        #expect(texts(patch.missing(atNanoseconds: Self.second)) == ["mic:1 → iounit:in_1"])
        let link = Link(source: "mic:1", target: "iounit:in_1")
        #expect(patch.takeNews() == [.connectionLost(link)])
        patch.note(.portsConnected(source: "mic:1", target: "iounit:in_1"), atNanoseconds: 2)
        #expect(patch.missing(atNanoseconds: Self.second).isEmpty)
        #expect(patch.takeNews() == [.connectionRestored(link)])
        #expect(patch.takeNews().isEmpty)
    }

    @Test func `asks less and less often for what is refused, and at once when ports come, go or are renamed`() {
        var patch = patch(Self.both)
        patch.note(.portUnregistered(name: "mic:1"), atNanoseconds: 0)
        let link = Link(source: "mic:1", target: "iounit:in_1")
        var asked: [UInt64] = []
        // A look each 50 ms, for a minute.
        for now in stride(from: 0, to: 60 * Self.second, by: 50_000_000) {
            guard patch.missing(atNanoseconds: now) == [link] else { continue }
            asked.append(now)
            patch.refuse(link, atNanoseconds: now)
        }
        let waits = zip(asked, asked.dropFirst()).map { $1 - $0 }
        #expect(waits == waits.sorted() && waits.first == 50_000_000 && waits.last == 4 * Self.second, "\(waits)")
        let now = 60 * Self.second
        let changes: [Notification] = [
            .portRegistered(name: "mic:1"), .portUnregistered(name: "mic:2"), .portRenamed(from: "a:1", to: "b:1"),
        ]
        for change in changes {
            patch.refuse(link, atNanoseconds: now)
            #expect(patch.missing(atNanoseconds: now).isEmpty)
            patch.note(change, atNanoseconds: now)
            #expect(patch.missing(atNanoseconds: now) == [link], "\(change)")
        }
    }

    @Test func `what was unmade just before the server went is wanted back, for nobody knows by whom`() {
        var patch = patch(Self.both)
        patch.note(.portsDisconnected(source: "mic:1", target: "iounit:in_1"), atNanoseconds: 0)
        patch.begin(ports: Self.ports("iounit"))
        #expect(texts(patch.missing(atNanoseconds: 1)).count == 2)
    }

    @Test func `follows ports that are given other names, ours too`() {
        var patch = patch(Self.both)
        patch.note(.portRenamed(from: "mic:1", to: "mic:left"), atNanoseconds: 0)
        patch.note(.portRenamed(from: "iounit:out_1", to: "iounit:main"), atNanoseconds: 0)
        patch.note(.portsConnected(source: "iounit:main", target: "recorder:in"), atNanoseconds: 0)
        patch.begin(ports: Self.ports("iounit"))
        #expect(
            texts(patch.missing(atNanoseconds: 0))
                == ["mic:left → iounit:in_1", "iounit:out_1 → speaker:1", "iounit:out_1 → recorder:in"])
    }

    @Test func `a loop from an output to an input of ours is made again under another name`() {
        var patch = patch([("iounit:out_1", "iounit:in_1")])
        patch.begin(ports: Self.ports("other"))
        #expect(texts(patch.missing(atNanoseconds: 0)) == ["other:out_1 → other:in_1"])
    }

    @Test func `after the client has joined again, only what is still missing is news`() {
        var patch = patch(Self.both)
        patch.begin(ports: Self.ports("iounit"))
        patch.connect("iounit:out_1", "speaker:1")
        patch.announceMissing()
        #expect(patch.takeNews() == [.connectionLost(Link(source: "mic:1", target: "iounit:in_1"))])
    }

    @Test func `starts with nothing when it is cleared`() {
        var patch = patch(Self.both)
        patch.clear()
        patch.begin(ports: Self.ports("iounit"))
        #expect(patch.missing(atNanoseconds: 0).isEmpty)
    }
}
