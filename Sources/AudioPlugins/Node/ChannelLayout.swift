/// How the channels of a node meet those of a plug-in.
struct ChannelLayout: BitwiseCopyable, Equatable {
    /// Of the node.
    let channels: Int
    /// Of one instance.
    let inputs: Int
    let outputs: Int
    /// 1, or so many that each channel has its own input and output.
    let instances: Int

    /// As many inputs as outputs, and the node's channels in so many equal parts: an instance for each part, so that a plug-in
    /// of one channel is run for each channel. Else one instance: its only input hears the mean of all channels, its only
    /// output goes to all, and without an output the sound goes by, as it does where there is only MIDI.
    ///
    /// Where the node's channels do not fit, those of the plug-in that may be left unconnected hear silence, and nobody hears them:
    /// so a stereo plug-in may be run for one channel.
    ///
    /// - Throws: `channels` where it has more inputs or outputs than the node has channels, where channels of the node would stay
    ///   silent, and where it has no channels at all.
    init(_ info: PluginInfo, channels: Int) throws(PluginError) {
        do throws(PluginError) {
            try self.init(info, channels, inputs: info.inputs, outputs: info.outputs)
        } catch {
            guard let least = try? Self(info, channels, inputs: info.leastInputs, outputs: info.leastOutputs),
                least.isHeard
            else { throw error }
            self = least
        }
    }

    private init(_ info: PluginInfo, _ channels: Int, inputs: Int, outputs: Int) throws(PluginError) {
        (self.channels, self.inputs, self.outputs) = (channels, inputs, outputs)
        if inputs == 0 && outputs == 0 {
            guard info.hasMIDIOutput else {
                throw PluginError(
                    .channels,
                    "\(info.shown) has no ports for sound, so nothing of it would be heard; use another plug-in")
            }
            instances = 1
            return
        }
        guard inputs <= channels && outputs <= channels else {
            let most = max(inputs, outputs)
            throw PluginError(
                .channels,
                "\(info.shown) has \(inputs) inputs and \(outputs) outputs, more than the \(channels == 1 ? "channel" : "\(channels) channels") here; use \(most) channels"
            )
        }
        guard inputs == outputs && channels % inputs == 0 || outputs <= 1 || outputs == channels else {
            throw PluginError(
                .channels,
                "\(info.shown) has \(outputs) outputs for \(channels) channels, of which the rest would be silent; use \(outputs) channels"
            )
        }
        instances = inputs == outputs && channels % inputs == 0 ? channels / inputs : 1
    }

    /// Whether the plug-in makes sound, and not only hears it.
    var isHeard: Bool { @_noLocks @_noAllocation get { outputs > 0 } }

    /// Whether its only input hears the mean of several channels.
    var isMixedDown: Bool { @_noLocks @_noAllocation get { instances == 1 && inputs == 1 && channels > 1 } }
}
