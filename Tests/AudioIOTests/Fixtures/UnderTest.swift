import AudioDSP
import AudioIO
import AudioRealtime
import Jack

extension UnitConfiguration {
    /// A unit between the probes `feeder` and `sink`.
    init(
        between server: Server, channels: Int = 1, shape: Shape = .cubic, gainDecibels: Double = 0,
        driveDecibels: Double = 0
    ) {
        self.init()
        self.serverName = server.name
        self.channels = channels
        self.shape = shape
        self.gainDecibels = gainDecibels
        self.driveDecibels = driveDecibels
        self.inputs = .firstOf(["^feeder:"])
        self.outputs = .firstOf(["^sink:"])
    }

    /// A unit between the ports of the dummy card.
    init(physical server: Server) {
        self.init()
        self.serverName = server.name
    }

    /// A unit that is connected to nothing.
    init(alone server: Server) {
        self.init()
        self.serverName = server.name
        self.inputs = .none
        self.outputs = .none
    }
}

extension ServerConfiguration {
    /// In sync mode each cycle runs from end to end before the next begins, however loaded the machine is: frame
    /// times tell for certain what belongs together.
    init(sync periodFrames: Int, channels: Int = 2) {
        self.init()
        self.periodFrames = periodFrames
        isSync = true
        captureChannels = channels
        playbackChannels = channels
    }

    /// The same, of a server that waits five seconds for a client that is held up: another waits for twenty periods, and skips
    /// cycles then.
    init(patient periodFrames: Int, channels: Int = 2) {
        self.init(sync: periodFrames, channels: channels)
        isPatient = true
    }
}
