import AudioIO
import Glibc
import Jack
import TestSupport
import Testing

@Suite("An engine that is wired again all the time") struct RewiringTests {
    /// Gains, mixers and delays between the input and the mixer, and changes of them by lot.
    private final class Changes {
        let engine: Engine
        private var generator: SeededGenerator
        private var nodes: [any Node] = []

        init(_ engine: Engine, seed: UInt64) {
            self.engine = engine
            generator = SeededGenerator(seed: seed)
        }

        private func connect(_ source: any Node, _ target: any Node) {
            func open(_ source: some Node, _ target: some Node) {
                try? engine.connect(source, to: target, gainDecibels: -10)
            }
            open(source, target)
        }

        private func disconnect(_ source: any Node, _ target: any Node) {
            func open(_ source: some Node, _ target: some Node) { engine.disconnect(source, from: target) }
            open(source, target)
        }

        /// Adds, removes, moves or swaps something; a loop is refused, and then nothing has changed.
        func makeOne() {
            let some = nodes.randomElement(using: &generator)
            let other = nodes.randomElement(using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0 where nodes.count < 12, 1 where nodes.count < 4:
                let made: any Node =
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: engine.attach(Gain(linear: 0.5))
                    case 1: engine.attach(Mixer())
                    default: engine.attach(Delay(frames: Int.random(in: 0..<64, using: &generator), maximumFrames: 64))
                    }
                connect(some ?? engine.input, made)
                connect(made, engine.mixer)
                nodes.append(made)
            case 1:
                guard let some else { return }
                nodes.removeAll { $0 === some }
                engine.detach(some)
            case 2: if let some, let other { connect(some, other) }
            case 3: if let some, let other { disconnect(some, other) }
            case 4: if let some { connect(engine.input, some) }
            default:
                guard let some, let other else { return }
                engine.change {
                    disconnect(some, engine.mixer)
                    disconnect(engine.input, other)
                    connect(engine.input, some)
                    connect(other, engine.mixer)
                }
            }
        }

        func end() {
            for node in nodes { engine.detach(node) }
        }
    }

    /// 1000 changes in a minute of sound. At most 24 connections of a third each fade at once, in 480 frames.
    @Test func `has no jump beyond its ramps, and is at the end as if it had never been changed`() throws {
        let engine = try offlineEngine()
        try engine.connect(engine.input, to: engine.mixer)
        let changes = Changes(engine, seed: 1)
        let step = 2 * Double.pi * 100 / 48_000
        var heard: [Float] = []
        var loudest: Float = 0
        var jump: Float = 0
        for change in 0..<1000 {
            if change < 990 { changes.makeOne() } else { changes.end() }
            let signal = (0..<2880).map { Float(sin(step * Double(change * 2880 + $0))) }
            let last = heard.last
            heard = try engine.render(signal)
            loudest = max(loudest, heard.map(abs).max() ?? 0)
            jump = max(jump, ((last.map { [$0] } ?? []) + heard).largestStep)
            if change == 999 { #expect(heard == signal) }
        }
        #expect(loudest > 1.05, "something was heard of the changes")
        // A sine of 100 Hz moves by 0.013 a frame, as loud as it is; each fade by its way over 480.
        #expect(jump < loudest * Float(step) + 24 * 0.32 / 480)
    }
}

extension OnServer {
    @Suite("An engine on a server that is wired again all the time") struct RewiringServerTests {
        @Test func `goes through a change of the period, of the server's rate and of the server, and loses no node`()
            throws
        {
            let host = try Succession(ServerConfiguration(sync: 64))
            var configuration = EngineConfiguration()
            configuration.serverName = host.name
            configuration.inputs = .none
            configuration.outputs = .none
            let engine = try Engine(configuration, policy: ReconnectPolicy(.automatic))
            try engine.start()
            let gains = (0..<8).map { _ in engine.attach(Gain()) }
            func rewire(_ times: Int) throws {
                for number in 0..<times {
                    let gain = gains[number % gains.count]
                    if engine.isConnected(engine.input, to: gain) {
                        engine.disconnect(engine.input, from: gain)
                        engine.disconnect(gain, from: engine.mixer)
                    } else {
                        try engine.connect(engine.input, to: gain)
                        try engine.connect(gain, to: engine.mixer)
                    }
                    let position = engine.position
                    try waitUntil("it renders") { engine.position > position || engine.state != .running }
                }
            }
            try rewire(40)
            do {
                let other = try Client(name: "other", server: host.name)
                try other.setPeriod(frames: 256)
            }
            try rewire(40)
            try host.end(by: SIGKILL)
            try rewire(8)
            var next = ServerConfiguration(sync: 128)
            next.sampleRate = 44_100
            try host.startAgain(next)
            try waitUntil("it runs again") { engine.state == .running && engine.resets == 1 }
            try rewire(40)
            #expect(gains.allSatisfy(\.isAttached) && engine.sampleRate == 44_100)
            engine.close()
        }
    }
}
