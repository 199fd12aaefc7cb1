import AudioDSP
import Testing

@testable import LiveRuns

@Suite("What messages of OSC mean")
struct OSCAddressSpaceTests {
    private final class Run {
        var gain = 0.0
        var shape = "off"
        var isMuted = false
        var marks = 0
        var attack = 0.5
    }

    private let run = Run()
    private let space: OSCAddressSpace<String>

    init() {
        let run = run
        let controls = ControlTable([
            Control(.number("gain", "gain", -120...60, unit: "dB")) {
                .number(run.gain)
            } set: {
                if let number = $0.number { run.gain = number }
            },
            Control(.choice("shape", "curve", ["off", "cubic"], initial: "off")) {
                .choice(run.shape)
            } set: {
                if let word = $0.word { run.shape = word }
            },
            .flag("mute", "silence") {
                run.isMuted
            } set: {
                run.isMuted = $0
            },
            .action("mark", "mark") { run.marks += 1 },
            Control(.number("attack", "attack", 0.01...0.7, unit: "ms")) {
                .number(run.attack)
            } set: {
                if let number = $0.number { run.attack = number }
            },
        ])
        space = OSCAddressSpace(
            controls, [OSCFigure("xruns", "late cycles") { [.integer(3)] }],
            levels: OSCLevels(inputs: [0], outputs: [0, 0])
        ) {
            $0 == "own"
        }
    }

    private func error(_ address: String, _ sentence: String) -> [OSCMessage] {
        [OSCMessage("/iounit/error", .text(address), .text(sentence))]
    }

    @Test func `an argument sets, and an address alone answers with the value`() {
        var space = space
        func send(_ message: OSCMessage) -> [OSCMessage] { space.answer(message, from: "a", atNanoseconds: 0) }
        #expect(send(OSCMessage("/iounit/gain", .float(-6))).isEmpty)
        #expect(send(OSCMessage("/iounit/gain")) == [OSCMessage("/iounit/gain", .float(-6))])
        #expect(send(OSCMessage("/iounit/shape", .text("cubic"))).isEmpty)
        #expect(send(OSCMessage("/iounit/shape")) == [OSCMessage("/iounit/shape", .text("cubic"))])
        for on: OSCMessage.Argument in [.integer(1), .float(1), .flag(true), .text("on")] {
            #expect(send(OSCMessage("/iounit/mute", on)).isEmpty)
            #expect(send(OSCMessage("/iounit/mute")) == [OSCMessage("/iounit/mute", .integer(1))])
            #expect(send(OSCMessage("/iounit/mute", .text("off"))).isEmpty && !run.isMuted)
        }
        #expect(send(OSCMessage("/iounit/xruns")) == [OSCMessage("/iounit/xruns", .integer(3))])
        #expect(space.changes == 10 && space.refusals == 0)
    }

    @Test func `a control takes the ends of its range, which are no whole number of bits`() {
        var space = space
        for end in [0.01, 0.7] {
            #expect(space.answer(OSCMessage("/iounit/attack", .float(Float(end))), from: "a", atNanoseconds: 0).isEmpty)
            #expect(run.attack == end)
        }
    }

    @Test func `an action is done once, by a press and not by a release`() {
        var space = space
        for arguments: [OSCMessage.Argument] in [[], [.float(1)], [.float(0)]] {
            #expect(space.answer(OSCMessage("/iounit/mark", arguments), from: "a", atNanoseconds: 0).isEmpty)
        }
        #expect(run.marks == 2)
    }

    @Test(arguments: [
        (OSCMessage("/iounit/gain", .float(100)), "gain takes a number from -120 to 60 dB"),
        (OSCMessage("/iounit/gain", .float(.nan)), "gain takes a number from -120 to 60 dB"),
        (OSCMessage("/iounit/gain", .flag(true)), "gain takes a number from -120 to 60 dB"),
        (OSCMessage("/iounit/shape", .flag(false)), "shape takes one of off, cubic"),
        (OSCMessage("/iounit/gain", .text("loud")), "gain takes a number from -120 to 60 dB"),
        (OSCMessage("/iounit/gain", .float(1), .float(2)), "gain takes a number from -120 to 60 dB"),
        (OSCMessage("/iounit/shape", .integer(2)), "shape takes one of off, cubic"),
        (OSCMessage("/iounit/gian"), "there is no such address; did you mean /iounit/gain?"),
        (OSCMessage("/mixer/gain", .float(1)), "addresses begin with /iounit/; /iounit/list tells all"),
        (OSCMessage("/iounit/xruns", .integer(0)), "xruns can be read and not set"),
        (OSCMessage("/iounit/meters", .integer(1)), "meters can be read and not set"),
        (
            OSCMessage("/iounit/subscribe", .text("all")),
            "what can be subscribed to is controls, meters, figures, with an interval in ms and a lease in s after it"
        ),
        (
            OSCMessage("/iounit/subscribe", .text("meters"), .integer(1)),
            "the interval is 10 to 10000 ms, a whole number"
        ),
        (
            OSCMessage("/iounit/subscribe", .text("meters"), .integer(50), .integer(0)),
            "the lease is 1 to 60 s, a whole number"
        ),
        (
            OSCMessage("/iounit/subscribe", .text("meters"), .integer(50), .integer(61)),
            "the lease is 1 to 60 s, a whole number"
        ),
        (
            OSCMessage("/iounit/subscribe", .text("meters"), .integer(50), .integer(1), .integer(7000)),
            "news go to the port that asks, and no other one; ask from there"
        ),
        (
            OSCMessage("/iounit/unsubscribe", .text("meters"), .integer(7000)),
            "news go to the port that asks, and no other one; ask from there"
        ),
    ])
    func `what cannot be is answered with a sentence and changes nothing`(_ message: OSCMessage, _ sentence: String) {
        var space = space
        #expect(space.answer(message, from: "a", atNanoseconds: 0) == error(message.address, sentence))
        #expect(space.refusals == 1 && space.changes == 0 && run.gain == 0 && run.shape == "off")
    }

    @Test func `the run itself cannot subscribe, and an address is answered in part where it is long`() {
        var space = space
        let subscribe = OSCMessage("/iounit/subscribe", .text("figures"))
        #expect(
            space.answer(subscribe, from: "own", atNanoseconds: 0)
                == error("/iounit/subscribe", "this run itself listens at that port"))
        let long = OSCMessage("/" + String(repeating: "a", count: 60_000), .integer(1))
        let bytes = space.answer(long, from: "a", atNanoseconds: 0).reduce(0) { $0 + $1.bytes.count }
        #expect((1...400).contains(bytes))
    }

    @Test func `the list names each address with its kind and what it takes, and ends with their number`() {
        var space = space
        let list = space.answer(OSCMessage("/iounit/list"), from: "a", atNanoseconds: 0)
        #expect(
            list.first
                == OSCMessage(
                    "/iounit/list", .text("/iounit/gain"), .text("number"), .text("gain"), .text("dB"), .float(-120),
                    .float(60)))
        #expect(
            list.contains(
                OSCMessage(
                    "/iounit/list", .text("/iounit/shape"), .text("choice"), .text("curve"), .text("off"),
                    .text("cubic"))))
        #expect(list.last == OSCMessage("/iounit/list/end", .integer(Int32(list.count - 1))))
        for row in list.dropLast() where row.arguments[1] != .text("action") {
            guard case .text(let address) = row.arguments[0] else { continue }
            #expect(!space.answer(OSCMessage(address), from: "a", atNanoseconds: 0).isEmpty, "\(address)")
        }
        #expect(space.refusals == 0)
    }

    @Test func `meters come at their interval until the lease runs out, each with the highest level since the last`() {
        var space = space
        let milliseconds: UInt64 = 1_000_000
        let reply = space.answer(
            OSCMessage("/iounit/subscribe", .text("meters"), .integer(100), .integer(1)), from: "a", atNanoseconds: 0)
        #expect(reply == [OSCMessage("/iounit/subscribed", .text("meters"), .integer(100), .integer(1))])
        _ = space.takeDue(atNanoseconds: 0)
        space.add(OSCLevels(inputs: [1], outputs: [0.5, 0]))
        space.add(OSCLevels(inputs: [0.1], outputs: [0.1, 0]))
        #expect(space.takeDue(atNanoseconds: 99 * milliseconds).isEmpty)
        let first = space.takeDue(atNanoseconds: 100 * milliseconds)
        #expect(first.map(\.message.address) == ["/iounit/meters/in", "/iounit/meters/out"])
        #expect(first.first?.message.arguments == [.float(0)])
        #expect(first.last?.message.arguments == [.float(-6.0206), .float(-200)])
        let second = space.takeDue(atNanoseconds: 200 * milliseconds)
        #expect(second.first?.message.arguments == [.float(-200)])
        #expect(!space.takeDue(atNanoseconds: 999 * milliseconds).isEmpty)
        #expect(space.takeDue(atNanoseconds: 1000 * milliseconds).isEmpty)
        #expect(space.subscriptions.all.isEmpty && space.subscriptions.nextNanoseconds == nil)
    }

    @Test func `a lease that is renewed goes on, and who takes leave is told no more`() {
        var space = space
        let second: UInt64 = 1_000_000_000
        func send(_ topic: String, at time: UInt64) {
            _ = space.answer(
                OSCMessage("/iounit/subscribe", .text(topic), .integer(1000), .integer(2)), from: "a",
                atNanoseconds: time)
        }
        send("figures", at: 0)
        send("figures", at: second)
        #expect(space.takeDue(atNanoseconds: 2 * second + 1).map(\.message.address) == ["/iounit/xruns"])
        #expect(space.subscriptions.all.count == 1)
        _ = space.answer(OSCMessage("/iounit/unsubscribe"), from: "a", atNanoseconds: 2 * second)
        #expect(space.subscriptions.all.isEmpty)
    }

    @Test func `who subscribes to the controls is told how all stand, at the port that asked`() {
        var space = space
        _ = space.answer(
            OSCMessage("/iounit/subscribe", .text("controls"), .integer(100), .integer(5)), from: "a:9001",
            atNanoseconds: 0)
        let news = space.takeDue(atNanoseconds: 0)
        #expect(news.map(\.message.address) == ["/iounit/gain", "/iounit/shape", "/iounit/mute", "/iounit/attack"])
        #expect(news.allSatisfy { $0.peer == "a:9001" } && space.subscriptions.listeners() == ["a:9001"])
        #expect(space.takeDue(atNanoseconds: 1).isEmpty)
    }

    @Test func `there is room for so many, and for one more when a lease has run out`() {
        var space = space
        func subscribe(_ peer: String, at time: UInt64) -> Bool {
            space.answer(
                OSCMessage("/iounit/subscribe", .text("meters"), .integer(100), .integer(1)), from: peer,
                atNanoseconds: time
            ).first?.address == "/iounit/subscribed"
        }
        for number in 0..<OSCSubscriptions<String>.most { #expect(subscribe("\(number)", at: 0)) }
        #expect(
            space.answer(OSCMessage("/iounit/subscribe", .text("figures")), from: "0", atNanoseconds: 1)
                == error(
                    "/iounit/subscribe", "there are 32 subscriptions already; try again when a lease has run out"))
        #expect(!subscribe("late", at: 1))
        #expect(subscribe("late", at: 1_000_000_000))
    }

    @Test(arguments: [
        OSCMessage("/iounit"), OSCMessage("/iounit/list"), OSCMessage("/iounit/meters"), OSCMessage("/iounit/gain"),
        OSCMessage("/iounit/shape"), OSCMessage("/iounit/xruns"), OSCMessage("/iounit/gian"), OSCMessage("/error"),
        OSCMessage("/iounit/xruns", .integer(3)), OSCMessage("/iounit/subscribe", .text("figures")),
        OSCMessage("/iounit/subscribe", .text("nothing")), OSCMessage("/iounit/unsubscribe", .text("nothing")),
    ])
    func `replies that come in as messages are answered no further than with an error`(_ message: OSCMessage) {
        var space = space
        let replies = space.answer(message, from: "a", atNanoseconds: 0)
        let errors = replies.flatMap { space.answer($0, from: "b", atNanoseconds: 0) }
        #expect(!replies.isEmpty && errors.allSatisfy { $0.address == "/iounit/error" })
        #expect(errors.flatMap { space.answer($0, from: "a", atNanoseconds: 0) } == [])
        #expect(space.subscriptions.all.count <= 1)
    }

    @Test func `who subscribes again and again before its turn is told once, and not if it has taken leave`() {
        var space = space
        func send(_ message: OSCMessage, _ peer: String) { _ = space.answer(message, from: peer, atNanoseconds: 0) }
        func subscribe(_ peer: String) {
            send(OSCMessage("/iounit/subscribe", .text("controls"), .integer(100), .integer(5)), peer)
        }
        for port in 1...100 {
            subscribe("a:\(port)")
            send(OSCMessage("/iounit/unsubscribe", .text("controls")), "a:\(port)")
        }
        for _ in 0..<3 { subscribe("a:9") }
        #expect(
            space.takeDue(atNanoseconds: 0).map { "\($0.peer)\($0.message.address)" }
                == ["a:9/iounit/gain", "a:9/iounit/shape", "a:9/iounit/mute", "a:9/iounit/attack"])
    }
}
