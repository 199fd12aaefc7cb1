import AudioIO
import Jack
import Threads

// The manual's example: a private server, a unit on it, a moment of sound, and what was counted.
@main
struct Wire {
    static func main() throws {
        let server = try Server()

        var configuration = UnitConfiguration()
        configuration.clientName = "wire"
        configuration.serverName = server.name
        configuration.gainDecibels = -6
        configuration.shape = .tanh

        let unit = try IOUnit(configuration)
        try unit.start()
        while unit.statistics.cycles < 100 { MonotonicClock.sleep(milliseconds: 10) }
        unit.setDrive(decibels: 12)
        print(unit.statistics, unit.meters.totals(0).peak)
        unit.stop()

        let engine = try Engine(unit, policy: ReconnectPolicy(.automatic))
        engine.onEvent { event in print(event.kind) }
        try engine.start()
        while unit.statistics.cycles < 200 { MonotonicClock.sleep(milliseconds: 10) }
        engine.close()
        server.stop()

        let statistics = unit.statistics
        print("\(statistics.cycles) cycles, \(statistics.frames) frames, \(statistics.xruns) xruns")
    }
}
