import ServerRuns
import Testing

@Suite("The notice that a server does not let a client go")
struct ShutdownTests {
    @Test(arguments: [0, 0.001, 64.0 / 48000, 8192.0 / 8000])
    func `comes after more than a few periods, and not before a second`(_ periodSeconds: Double) {
        let seconds = Double(Shutdown.usualMilliseconds(periodSeconds: periodSeconds)) / 1000
        #expect(seconds >= 1 && seconds >= 4 * periodSeconds)
    }

    @Test func `comes before the client is given up, however long a period is said to be`() {
        #expect(Shutdown.usualMilliseconds(periodSeconds: 1e9) < 8000)
    }
}
