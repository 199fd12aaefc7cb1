import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@Suite("Commands to a render unit")
struct CommandDeliveryTests {
    @Test("arrive all and in order, however many there are, spread over cycles")
    func floodIsTakenOverCycles() {
        let device = FakeDevice(
            channels: 1, parameters: Parameters(shape: .off), commandCapacity: 10_000, recordCapacity: 1)
        for number in 1...10_000 { #expect(device.send(.gain(Float(number)))) }
        #expect(!device.send(.gain(0)), "the ring is full, and says so")
        var heard: [Float] = []
        while heard.last != 10_000 && heard.count <= 10_000 { heard.append(device.cycle([[1]])[0][0]) }
        // One cycle takes a limited share, and the next goes on where it left off.
        let share = heard[0]
        #expect(share > 1 && share < 1000)
        #expect(heard == heard.indices.map { min(10_000, share * Float($0 + 1)) })
    }

    @Test("change what a unit was told, each its own part")
    func eachCommandChangesItsPart() {
        let device = FakeDevice(channels: 1)
        var wanted = Parameters()
        func send(_ command: Command) {
            #expect(device.send(command))
            device.cycle(frames: 1)
        }
        send(.gain(0.5))
        wanted.gain = 0.5
        #expect(device.parameters == wanted)
        send(.drive(3))
        wanted.drive = 3
        #expect(device.parameters == wanted)
        send(.shape(.hard))
        wanted.shape = .hard
        #expect(device.parameters == wanted)
        send(.bypass(true))
        wanted.isBypassed = true
        #expect(device.parameters == wanted)
        send(.mute(true))
        wanted.isMuted = true
        #expect(device.parameters == wanted)
    }

    @Test("are taken in a cycle without frames too")
    func emptyCycleTakesCommands() {
        let device = FakeDevice(channels: 1)
        #expect(device.send(.gain(0.25)))
        device.cycle(frames: 0)
        #expect(device.parameters.gain == 0.25)
    }
}
